// What /metrics tells of HLG, in the form of Prometheus.
#include <atomic>
#include <string>

#include "seam.h"

namespace hlg_seam {
namespace {

struct Counter {
  const char* name;
  const char* help;
  std::atomic<uint64_t> value{0};
};

Counter requests{"hlg:requests_total", "Requests with HLG on, one for each prompt of a list"};
Counter tokens{"hlg:tokens_drawn_total", "Tokens drawn by HLG, those that a grammar refused too"};
Counter dead_rows{"hlg:degenerate_rows_total", "Rows of logits without a live token"};

void add_line(std::string& text, const Counter& counter) {
  const std::string name = counter.name;
  text += "# HELP " + name + " " + counter.help + "\n# TYPE " + name + " counter\n" + name + " " +
          std::to_string(counter.value.load()) + "\n";
}

}  // namespace

void count_request() { ++requests.value; }

void count_draw(int32_t status) {
  if (status == HLG_OK) ++tokens.value;
  if (status == HLG_NO_LIVE_TOKEN) ++dead_rows.value;
}

std::string metrics() {
  std::string text;
  for (const Counter* counter : {&requests, &tokens, &dead_rows}) add_line(text, *counter);
  return text;
}

}  // namespace hlg_seam
