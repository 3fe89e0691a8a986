#include "report/page.hpp"

#include <algorithm>

#include "spmvgen/error.hpp"

namespace spmvgen::cli {
namespace {

std::string_view file_named(std::string_view name) {
    const auto files = page_files();
    const auto found = std::ranges::find(files, name, &PageFile::name);
    if (found == files.end())
        throw Error(ErrorCode::internal, "the page has no file " + std::string(name));
    return found->text;
}

std::string escaped_text(std::string_view text) {
    std::string escaped;
    for (const char c : text) switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += c;
        }
    return escaped;
}

/// JSON in which nothing can end a script element or begin a comment: "<" as "\u003c".
std::string escaped_json(const Json& data) {
    const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string escaped;
    escaped.reserve(text.size());
    for (const char c : text)
        if (c == '<')
            escaped += "\\u003c";
        else
            escaped += c;
    return escaped;
}

}  // namespace

std::string report_page(const std::string& title, const Json& data) {
    const auto part = [&](std::string_view name) -> std::string {
        if (name == "title") return escaped_text(title);
        if (name == "data") return escaped_json(data);
        return std::string(file_named(name));
    };
    // One pass: what is filled in is not looked at again.
    std::string page;
    std::string_view rest = file_named("page.html");
    for (auto open = rest.find("{{"); open != rest.npos; open = rest.find("{{")) {
        const auto close = rest.find("}}", open);
        page += rest.substr(0, open);
        page += part(rest.substr(open + 2, close - open - 2));
        rest.remove_prefix(close + 2);
    }
    return page.append(rest);
}

}  // namespace spmvgen::cli
