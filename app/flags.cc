#include "flags.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <thread>

namespace {

std::string hint(const hlg_knob& k) {
  if (k.kind == HLG_KNOB_NUMBER) return k.can_be_off ? "N|off" : "N";
  std::string words;
  for (int32_t i = 0; i < k.n_choices; ++i) words += (i ? "|" : "") + std::string(k.choices[i]);
  return words;
}

std::string limits(const hlg_knob& k) {
  if (k.kind == HLG_KNOB_SWITCH) return " (default: on)";
  char allowed[128] = "";
  if (k.kind == HLG_KNOB_NUMBER) hlg_knob_allowed(&k, allowed, sizeof allowed);
  const std::string unit = *k.unit ? std::string("in ") + k.unit + ", " : "";
  return " (" + unit + allowed + (*allowed ? "; " : "") + "default: " + k.default_text + ")";
}

void add_knob(CLI::App& app, const hlg_knob& k, hlg_params& params) {
  const auto set = [&k, &params](const std::string& text) {
    if (hlg_params_set_text(&params, k.name, text.c_str()) == HLG_OK) return;
    char allowed[128];
    hlg_knob_allowed(&k, allowed, sizeof allowed);
    throw Failure(kUsage,
                  "--" + std::string(k.flag) + ": '" + text + "' is not allowed: give " + allowed);
  };
  app.add_option_function<std::string>("--" + std::string(k.flag), set, k.help + limits(k))
      ->option_text(hint(k))
      ->group("Curve");
}

// Each word after a blank, on a new line at `column` where it would pass `width`.
std::string wrapped(const std::string& text, size_t column, size_t width) {
  std::istringstream words(text);
  std::string lines, word;
  for (size_t at = column; words >> word; at += 1 + word.size()) {
    if (at > column && at + 1 + word.size() > width) {
      lines += "\n" + std::string(column, ' ');
      at = column;
    }
    lines += " " + word;
  }
  return lines;
}

std::string option_help(const CLI::Option& option) {
  constexpr size_t kColumn = 24, kWidth = 90;
  std::string line = "  " + option.get_name(false, true);
  if (!option.get_option_text().empty()) line += " " + option.get_option_text();
  line += line.size() > kColumn ? "\n" + std::string(kColumn, ' ')
                                : std::string(kColumn - line.size(), ' ');
  const std::string required = option.get_required() ? " (required)" : "";
  return line + wrapped(option.get_description() + required, kColumn, kWidth) + "\n";
}

// " DIR...": what stands without a flag.
std::string operands(const CLI::App& app) {
  std::string names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    names += " " + option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
  }
  return names;
}

// Not CLI11's own layout: that differs between its versions, and docs/reference/cli.md holds this.
std::string help_text(const CLI::App* app, const std::string& /*name*/,
                      CLI::AppFormatMode /*mode*/) {
  std::string text = "usage: " + app->get_name() + " [OPTIONS]" + operands(*app) + "\n\n" +
                     app->get_description() + "\n";
  for (const std::string& group : app->get_groups()) {
    text += "\n" + (group == app->get_help_ptr()->get_group() ? "Options" : group) + ":\n";
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group() == group) text += option_help(*option);
    }
  }
  return text + "\n" + app->get_footer() + "\n";
}

}  // namespace

void add_row_options(CLI::App& app, std::string& logits, int64_t& n_vocab) {
  app.add_option("--logits", logits, "file of rows; - is standard input")
      ->option_text("FILE")
      ->required();
  app.add_option("--vocab", n_vocab, "logits in a row")
      ->option_text("N")
      ->required()
      ->check(CLI::Range(int64_t{1}, int64_t{INT32_MAX}));
}

void add_threads_option(CLI::App& app, int32_t& n_threads, const std::string& help) {
  n_threads = static_cast<int32_t>(std::max(1U, std::thread::hardware_concurrency()));
  app.add_option("--threads", n_threads, help + " (default: one a CPU)")
      ->option_text("N")
      ->check(CLI::Range(1, 1024));
}

CurveFlags::CurveFlags(CLI::App& app) {
  hlg_params_init(&params_);
  params_.enabled = 1;
  app.add_option("--temp", params_.temperature, "temperature; the gain is its inverse (default: 1)")
      ->option_text("T")
      ->group("Curve");
  for (int32_t i = 0; i < hlg_knob_count(); ++i) add_knob(app, *hlg_knob_get(i), params_);
}

int run_command(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
  const std::string name = app.get_name();
  app.set_help_flag("-h,--help", "print this text");
  app.formatter_fn(help_text);
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s (%s --help)\n", name.c_str(), error.what(), name.c_str());
    return kUsage;
  } catch (const Failure& failure) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), failure.what());
    return failure.status;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return kUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return kFailed;
  }
}
