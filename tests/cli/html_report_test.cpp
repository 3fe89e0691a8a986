#include <zlib.h>

#include "cli_fixture.hpp"

namespace spmvgen::cli {
namespace {

using nlohmann::json;

json header() {
    return {{"kind", "spmvgen bench"},
            {"schema", 1},
            {"date", "2026-11-21T12:00:00Z"},
            {"command", "spmvgen bench A.mtx"},
            {"device", "host"},
            {"machine", {{"cpu", "Test CPU"}, {"processors", 2}}},
            {"versions", {{"spmvgen", "0.1.0"}}},
            {"method", {{"threads", 2}}},
            {"peers", {{"mkl", {{"absent", "not there"}}}}}};
}

json result(const std::string& name = "auto") {
    return {{"matrix", "A"},
            {"rows", 2},
            {"cols", 3},
            {"nnz", 3},
            {"value", "f64"},
            {"case", name},
            {"library", "spmvgen"},
            {"kernel", "csr_rows_f64_i32_o32_a1_b0_k1"},
            {"bytes", 88},
            {"hot", {{"us", 1.23456789}, {"low_us", 1.0}, {"high_us", 2.0}}}};
}

class HtmlReportTest : public CliTest {
  protected:
    static void lines(const std::vector<json>& all, const std::string& path = "R.jsonl") {
        std::string text;
        for (auto& line : all) text += line.dump() + "\n";
        write(path, text);
    }
    static Outcome report(const std::string& files = "R.jsonl") {
        return run_line("report " + files + " -o report.html");
    }
    /// The message of a report that must fail and leave no page.
    static std::string error(const std::vector<json>& all) {
        lines(all);
        return failure("R.jsonl");
    }
    static std::string failure(const std::string& files) {
        const Outcome outcome = report(files);
        EXPECT_FALSE(std::filesystem::exists("report.html"));
        return std::to_string(outcome.status) + ": " + outcome.err;
    }
    /// With one field of a result replaced; null removes it.
    static std::string with(const std::string& pointer, const json& value) {
        json row = result();
        if (value.is_null() && pointer.find('/', 1) == std::string::npos)
            row.erase(pointer.substr(1));
        else
            row[json::json_pointer(pointer)] = value;
        return error({header(), row});
    }
    /// The block of data of the page.
    static json data() {
        const std::string page = read("report.html");
        const std::string open = "id=\"data\">";
        const auto begin = page.find(open) + open.size();
        return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
    }
};

TEST_F(HtmlReportTest, MakesAPageOfWhatBenchWrote) {
    const Outcome bench = run_line(
        "bench A.mtx gallery:stencil5:nx=60 --kernels auto,csr_rows --against plain --budget 1ms "
        "--value f64,f32 --json R.jsonl");
    ASSERT_EQ(bench.status, 0) << bench.err;
    const Outcome outcome = report();
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("spmvgen: report.html: 12 results of 2 matrices, "))
        << outcome.err;
    EXPECT_EQ(outcome.out, "");
    const json all = data();
    ASSERT_EQ(all["matrices"].size(), 2u);
    EXPECT_EQ(all["matrices"][0]["name"], "A");
    EXPECT_EQ(all["matrices"][0]["density"],
              json({{"columns", 3}, {"lines", 2}, {"cells", "990009"}}));
    EXPECT_EQ(all["matrices"][0]["features"]["f64"]["max_row"], 2);
    EXPECT_EQ(all["matrices"][1]["features"]["f32"]["bandwidth"], 60);
    EXPECT_EQ(all["matrices"][1]["density"]["cells"].get<std::string>().size(), 48u * 48u);
    ASSERT_EQ(all["results"].size(), 12u);
    for (auto& row : all["results"]) EXPECT_EQ(row["stream"].size(), 3u);
    EXPECT_FALSE(all["results"][0]["reason"].get<std::string>().empty());
    EXPECT_EQ(all["runs"].size(), 1u);
    EXPECT_GT(all["runs"][0]["bandwidth"]["read"][0][1], 0);
    // Nothing that a network would be asked for.
    std::string page = read("report.html");
    const std::string name_of_svg = "http://www.w3.org/2000/svg";
    page.replace(page.find(name_of_svg), name_of_svg.size(), "");
    for (const char* text : {"http:", "https:", "src=", "<link", "@import", "url(\"", "fetch("})
        EXPECT_EQ(page.find(text), std::string::npos) << text;
}

TEST_F(HtmlReportTest, PageOfTheSameResultsIsTheSame) {
    lines({header(), result()});
    ASSERT_EQ(report().status, 0);
    const std::string first = read("report.html");
    ASSERT_EQ(report().status, 0);
    EXPECT_EQ(read("report.html"), first);
    EXPECT_EQ(run_line("report R.jsonl -o -").out, first);
    EXPECT_EQ(first.find("{{"), std::string::npos);
}

TEST_F(HtmlReportTest, RoundsTimesAndKeepsTheLastOfEach) {
    json again = result();
    again["hot"]["us"] = 7;
    lines({header(), result(), again, result("csr_rows")});
    const Outcome outcome = report();
    ASSERT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err.substr(0, outcome.err.find('\n')),
              "spmvgen: 1 result measured more than once: the last counts");
    const json all = data();
    ASSERT_EQ(all["results"].size(), 2u);
    EXPECT_EQ(all["results"][0]["stream"], json({7.0, 1.0, 2.0}));
    EXPECT_EQ(all["results"][1]["stream"][0], 1.2346);
    EXPECT_EQ(all["notes"][0], "1 result measured more than once: the last counts");
}

TEST_F(HtmlReportTest, HasTheTimesOfAllClocks) {
    json row = result();
    row.erase("hot");
    row["graph"] = {{"us", 2.5}};
    row["cold"] = {{"us", 9.0}};
    row["untimed"] = {{"solver", "no time is left"}};
    json now = header();
    now["schema"] = 2;
    lines({now, row});
    ASSERT_EQ(report().status, 0);
    const json shown = data()["results"][0];
    EXPECT_EQ(shown["graph"], json({2.5}));
    EXPECT_EQ(shown["cold"], json({9.0}));
    EXPECT_EQ(shown["untimed"]["solver"], "no time is left");
    EXPECT_FALSE(shown.contains("stream"));
}

TEST_F(HtmlReportTest, TellsRunsAndMatricesApart) {
    json other = header(), larger = result(), single = result(), random = result();
    random["numbers"] = "random";
    other["method"]["threads"] = 1;
    larger["rows"] = 20;
    single["value"] = "f32";
    lines({header(), result(), larger}, "a.jsonl");
    lines({header(), single}, "b.jsonl");
    lines({other, result(), random}, "c.jsonl");
    ASSERT_EQ(report("a.jsonl b.jsonl c.jsonl").status, 0);
    const json all = data();
    ASSERT_EQ(all["runs"].size(), 2u);
    EXPECT_EQ(all["runs"][0]["label"], "Test CPU, 2 threads");
    EXPECT_EQ(all["runs"][0]["commands"].size(), 2u);
    EXPECT_EQ(all["runs"][1]["label"], "Test CPU, 1 thread");
    ASSERT_EQ(all["matrices"].size(), 2u);
    EXPECT_EQ(all["matrices"][1]["rows"], 20);
    ASSERT_EQ(all["results"].size(), 5u);
    EXPECT_EQ(all["results"][3]["run"], 1);
    EXPECT_EQ(all["results"][3]["numbers"], "own");
    EXPECT_EQ(all["results"][4]["numbers"], "random");
}

TEST_F(HtmlReportTest, ReadsGzip) {
    const std::string text = header().dump() + "\n" + result().dump() + "\n";
    gzFile file = gzopen("R.jsonl.gz", "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    ASSERT_EQ(report("R.jsonl.gz").status, 0);
    EXPECT_EQ(data()["results"].size(), 1u);
    std::filesystem::remove("report.html");
    const std::string packed = read("R.jsonl.gz");
    write("R.jsonl.gz", packed.substr(0, packed.size() - 20));
    EXPECT_EQ(failure("R.jsonl.gz"),
              "1: spmvgen: R.jsonl.gz: cannot be read: the gzip data is truncated\n");
    write("R.jsonl.gz", packed.substr(0, 20) + std::string(20, 'x') + packed.substr(40));
    EXPECT_TRUE(failure("R.jsonl.gz")
                    .starts_with("1: spmvgen: R.jsonl.gz: cannot be read: the gzip data is "
                                 "damaged: "));
}

TEST_F(HtmlReportTest, WrongResultsHaveNoTimes) {
    json wrong = result();
    wrong["wrong"] = "1 of 2 elements of y are wrong";
    json none = result("ell");
    none.erase("hot");
    none["none"] = "too much padding";
    lines({header(), wrong, none});
    const Outcome outcome = report();
    ASSERT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.err.find(", 1 wrong product\n"), std::string::npos) << outcome.err;
    const json all = data();
    EXPECT_EQ(all["results"][0]["wrong"], "1 of 2 elements of y are wrong");
    EXPECT_FALSE(all["results"][0].contains("stream"));
    EXPECT_EQ(all["results"][1]["none"], "too much padding");
}

TEST_F(HtmlReportTest, TextCannotLeaveItsPlace) {
    const std::string nasty = "</script><script>alert(1)</script><!--{{data}}";
    json row = result();
    row["matrix"] = row["reason"] = row["case"] = nasty;
    lines({header(), row});
    ASSERT_EQ(run({"report", "R.jsonl", "-o", "report.html", "--title", nasty}).status, 0);
    const std::string page = read("report.html");
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_EQ(page.find("<!--"), std::string::npos);
    EXPECT_EQ(data()["results"][0]["reason"], nasty);
    EXPECT_EQ(data()["matrices"][0]["name"], nasty);
    EXPECT_NE(page.find("<h1>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!--{{data}}"
                        "</h1>"),
              std::string::npos);
}

TEST_F(HtmlReportTest, ATornLastLineIsLeftOut) {
    write("R.jsonl", header().dump() + "\n" + result().dump() + "\n{\"matrix\": \"A");
    const Outcome outcome = report();
    ASSERT_EQ(outcome.status, 0);
    EXPECT_TRUE(outcome.err.starts_with(
        "spmvgen: R.jsonl:3: the last line is torn and is left out\nspmvgen: report.html: 1 "
        "result of 1 matrix, "))
        << outcome.err;
    write("R.jsonl", header().dump() + "\n" + result().dump());
    EXPECT_EQ(report().status, 0);
}

TEST_F(HtmlReportTest, SaysWhatIsWrongWithAFile) {
    EXPECT_EQ(failure("no.jsonl"),
              "1: spmvgen: no.jsonl: cannot be read: No such file or directory\n");
    EXPECT_EQ(failure("."), "1: spmvgen: .: cannot be read: it is a directory\n");
    write("R.jsonl", "");
    EXPECT_EQ(failure("R.jsonl"),
              "1: spmvgen: R.jsonl: is empty: spmvgen bench --json writes what can be shown\n");
    EXPECT_EQ(error({header()}), "1: spmvgen: R.jsonl: has no results, only headers\n");
    EXPECT_EQ(error({result()}),
              "1: spmvgen: R.jsonl:1: is no header of spmvgen bench: give files that bench --json "
              "wrote\n");
    write("R.jsonl", header().dump() + "\nnonsense\n" + result().dump() + "\n");
    EXPECT_EQ(failure("R.jsonl"), "1: spmvgen: R.jsonl:2: is no JSON object\n");
    write("R.jsonl", "%%MatrixMarket");
    EXPECT_EQ(failure("R.jsonl"), "1: spmvgen: R.jsonl:1: is no JSON object\n");
    json later = header();
    later["schema"] = 3;
    EXPECT_EQ(error({later, result()}),
              "1: spmvgen: R.jsonl:1: schema: 3 is not known; this spmvgen reads 1 and 2\n");
    json headless = header();
    headless.erase("machine");
    EXPECT_EQ(error({headless, result()}), "1: spmvgen: R.jsonl:1: machine: is missing\n");
    headless["machine"] = "fast";
    EXPECT_EQ(error({headless, result()}),
              "1: spmvgen: R.jsonl:1: machine: must be an object, not \"fast\"\n");
}

TEST_F(HtmlReportTest, SaysWhatIsWrongWithAResult) {
    const std::string at = "1: spmvgen: R.jsonl:2: ";
    EXPECT_EQ(with("/nnz", nullptr), at + "nnz: is missing\n");
    EXPECT_EQ(with("/nnz", -3), at + "nnz: must be a whole number from 0, not -3\n");
    EXPECT_EQ(with("/nnz", 1.5), at + "nnz: must be a whole number from 0, not 1.5\n");
    EXPECT_EQ(with("/rows", std::uint64_t{1} << 63),
              at + "rows: must be a whole number from 0, not 9223372036854775808\n");
    EXPECT_EQ(with("/matrix", 5), at + "matrix: must be text, not 5\n");
    EXPECT_EQ(with("/hot", nullptr), at + "stream: is missing\n");
    EXPECT_EQ(with("/hot", 5), at + "hot: must be an object, not 5\n");
    const std::string time = "must be a number of microseconds above 0, not ";
    EXPECT_EQ(with("/hot/us", nullptr), at + "hot.us: " + time + "null\n");
    EXPECT_EQ(with("/hot/us", 0), at + "hot.us: " + time + "0\n");
    EXPECT_EQ(with("/hot/us", -1.5), at + "hot.us: " + time + "-1.5\n");
    EXPECT_EQ(with("/hot/low_us", "fast"), at + "hot.low_us: " + time + "\"fast\"\n");
    EXPECT_EQ(with("/bytes", "many"), at + "bytes: must be a whole number from 0, not \"many\"\n");
    EXPECT_EQ(with("/convert_ms", -1), at + "convert_ms: must be a number from 0, not -1\n");
    EXPECT_EQ(with("/measured", json::array({1})),
              at + "measured: must be an array of objects, not [1]\n");
    EXPECT_EQ(with("/about", {{"density", {{"columns", 2}, {"lines", 2}, {"counts", {1, 2}}}}}),
              at + "about.density.counts: must be an array of 4 numbers, not [1,2]\n");
    EXPECT_EQ(with("/about", {{"density", {{"columns", 5000}, {"lines", 2}}}}),
              at + "about.density.columns: must be at most 1000, not 5000\n");
    EXPECT_EQ(with("/about", {{"features", {{"max_row", "x"}}}}),
              at + "about.features.max_row: must be a number or an array of numbers, not \"x\"\n");
    // What other programs write for a time that is none.
    write("R.jsonl", header().dump() + "\n{\"hot\": {\"us\": NaN}}\n");
    EXPECT_EQ(failure("R.jsonl"), at + "is no JSON object\n");
}

TEST_F(HtmlReportTest, SaysWhatIsWrongWithTheCommand) {
    lines({header(), result()});
    EXPECT_EQ(run_line("report R.jsonl").err,
              "spmvgen: --output is required\nsee: spmvgen report --help\n");
    EXPECT_EQ(run_line("report -o report.html").status, 2);
    EXPECT_EQ(run_line("report R.jsonl -o no/such/folder.html").err,
              "spmvgen: no/such/folder.html: cannot write: No such file or directory\n");
    EXPECT_EQ(run_line("report R.jsonl -o .").err, "spmvgen: .: cannot write: it is a directory\n");
    const std::string results = read("R.jsonl");
    std::filesystem::create_symlink("R.jsonl", "link.html");
    for (const char* same : {"R.jsonl", "./R.jsonl", "link.html"})
        EXPECT_EQ(run_line(std::string("report R.jsonl -o ") + same).err,
                  std::string("spmvgen: --output: ") + same +
                      " has the results that are shown: name another\n"
                      "see: spmvgen report --help\n");
    EXPECT_EQ(read("R.jsonl"), results);
}

}  // namespace
}  // namespace spmvgen::cli
