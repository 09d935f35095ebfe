#include "flags.h"

#include <cmath>
#include <cstdio>

namespace {

std::string hint(const hlg_knob& k) {
  if (k.kind == HLG_KNOB_NUMBER) return k.can_be_off ? "N|off" : "N";
  std::string words;
  for (int32_t i = 0; i < k.n_choices; ++i) words += (i ? "|" : "") + std::string(k.choices[i]);
  return words;
}

void add_knob(CLI::App& app, const hlg_knob& k, hlg_params& params) {
  const auto set = [&k, &params](const std::string& text) {
    if (hlg_params_set_text(&params, k.name, text.c_str()) == HLG_OK) return;
    char allowed[128];
    hlg_knob_allowed(&k, allowed, sizeof allowed);
    throw Failure(kUsage,
                  "--" + std::string(k.flag) + ": '" + text + "' is not allowed: give " + allowed);
  };
  const bool is_switch = k.kind == HLG_KNOB_SWITCH;
  const std::string unit = *k.unit ? std::string(" ") + k.unit : "";
  app.add_option_function<std::string>("--" + std::string(k.flag), set, k.help)
      ->option_text(hint(k) + "  (default: " + (is_switch ? "on" : k.default_text) + unit + ")")
      ->group("Curve");
}

}  // namespace

void add_row_options(CLI::App& app, std::string& logits, int64_t& n_vocab) {
  app.add_option("--logits", logits, "file of rows; - is standard input")->required();
  app.add_option("--vocab", n_vocab, "logits in a row")
      ->required()
      ->check(CLI::Range(int64_t{1}, int64_t{INT32_MAX}));
}

CurveFlags::CurveFlags(CLI::App& app) {
  hlg_params_init(&params_);
  params_.enabled = 1;
  app.add_option("--temp", params_.temperature, "temperature; the gain is its inverse")
      ->option_text("T  (default: 1)")
      ->group("Curve");
  for (int32_t i = 0; i < hlg_knob_count(); ++i) add_knob(app, *hlg_knob_get(i), params_);
}

int run_command(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
  const std::string name = app.get_name();
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
