// HLG inside llama.cpp: flags, request JSON, model-file keys, reports, the chain. The seam
// (llama/seam/) puts one-line calls of these functions into llama.cpp.
//
// All names, ranges and defaults come from the knob table of hlg.h. A setting travels like this,
// later levels filling only what is still unset:
//   request (from_json over a copy) > command line > environment > config file (args) >
//   model file (from_model) > built-in (resolved when a curve is made or reported)
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "common.h"
#include "hlg/hlg-llama.h"

class common_json;
struct common_arg;

namespace hlg_seam {

// The command-line arguments, one per knob. Bad values end the program: one line, exit status 2.
std::vector<common_arg> args();

// A knob's environment variable, LLAMA_ARG_HLG_..., and its key in a model file.
std::string env_name(const hlg_knob& k);
std::string model_key(const hlg_knob& k);

// Checks the environment and our flags before llama.cpp's parser starts, so that a bad value gives
// one line. Ends the program as args() does.
void check_flags(int argc, char** argv);

// Ends the program with one line and exit status 1 where llama.cpp could not load the file.
void check_model_file(const std::string& path);

// Fills what is unset from the keys general.sampling.hlg.* of the model file, then checks the
// whole. Ends the program as args() does.
void from_model(const llama_model* model, common_params_sampling& sampling);

// Lays the object of a request over `hlg`. Throws std::invalid_argument naming the field.
void from_json(const common_json& object, settings& hlg);

// What can only be checked when all fields of a request are read. Throws std::invalid_argument.
// A list of samplers that names hlg while it is off becomes that of `server`.
void finish_request(const common_params_sampling& server, common_params_sampling& request);

// On /v1/messages: copies what the converter to the OpenAI form does not itself read.
void pass_through(const common_json& anthropic, common_json& openai);

// The resolved settings, for reports.
common_json to_json(const settings& hlg);

// The samplers that really run: with HLG on penalties and dry in their order, then hlg.
std::vector<common_sampler_type> effective_samplers(const common_params_sampling& sampling);

bool is_on(const common_params_sampling& sampling);

// Whether a list of samplers names ours.
bool names_hlg(const std::vector<common_sampler_type>& samplers);

// The sampler that draws, for a chain.
llama_sampler* make_sampler(const common_params_sampling& sampling);

// Call right before a row is sampled again under a grammar's mask.
void keep_pivot(llama_sampler* chain);

// The seed this chain draws with, LLAMA_DEFAULT_SEED where it has none.
uint32_t chain_seed(llama_sampler* chain);

// Draws straight from the row of logits where nothing needs the array of candidates: no grammar or
// budget (the caller sees to that), bias, active penalty or DRY, probabilities, nor logits of a
// backend sampler. Then `cur_p` holds the drawn token alone. False where the array is needed.
bool sample_direct(const common_params_sampling& sampling, llama_sampler* chain,
                   llama_context* context, int32_t index, std::vector<llama_token_data>& cur,
                   llama_token_data_array& cur_p);

// A row in which every token is masked.
struct dead_row : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Counts the row just sampled by this chain. Throws dead_row when it had no live token, and
// std::runtime_error for another fault.
void check_row(const common_params_sampling& sampling, llama_sampler* chain);

// For /metrics: counters since the start of the process, and their text. status: as HLG_OK.
void count_request();
void count_draw(int32_t status);
std::string metrics();

// What the server says at `/` where it was built without the web page.
inline constexpr char no_web_page[] =
    "This server was built without the web page; everything else works.\n"
    "The build makes the page with npm and Node 20.19 or later. Where it could not,\n"
    "build/web-page.log says why; remove that file and build again for another try.\n";

}  // namespace hlg_seam
