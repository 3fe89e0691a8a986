#pragma once
#include <span>
#include <string>
#include <string_view>

#include "text/output.hpp"

namespace spmvgen::cli {

/// A file of cli/report/page, embedded.
struct PageFile {
    std::string_view name, text;
};

/// All of them, by name (made by cmake/EmbedTexts.cmake).
std::span<const PageFile> page_files();

/// The page that shows `data` (ReportData::json): HTML that holds its style, its scripts and its
/// data and asks nothing of a network. Data is a block of JSON in which no text can end the
/// element that it is in; the page never makes HTML of it.
std::string report_page(const std::string& title, const Json& data);

}  // namespace spmvgen::cli
