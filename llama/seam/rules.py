"""The seam: every change made to llama.cpp, one rule each.

A rule names a file, an anchor (exact text), how often the anchor must occur there, and what is put
before, after or in place of it. Everything else lives in llama/. apply.py makes the changes and
stops with the rule's name when a count differs, which is how an upgrade of llama.cpp shows.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    name: str  # what the rule is for
    file: str  # path in the llama.cpp tree
    anchor: str  # exact text
    before: str = ""  # inserted in front of the anchor
    after: str = ""  # inserted behind the anchor
    instead: str = ""  # replaces the anchor
    count: int = 1  # how often the anchor occurs

    @property
    def result(self) -> str:
        return self.instead or self.before + self.anchor + self.after


def include(file: str, anchor: str) -> Rule:
    """Our functions, for one source file."""
    return Rule(f"include in {file}", file, anchor, after='#include "seam.h" // hlg\n')


RULES = [
    # ---- common/common.h: the types
    Rule("sampler kind", "common/common.h",
         "    COMMON_SAMPLER_TYPE_ADAPTIVE_P  = 12,\n",
         after="    COMMON_SAMPLER_TYPE_HLG         = 1000,\n"),
    Rule("our settings", "common/common.h",
         '#include "llama-cpp.h"\n',
         before='#include "settings.h" // hlg\n\n'),
    Rule("settings of a request", "common/common.h",
         "    bool backend_sampling = false;\n\n    // print the parameters into a string\n",
         before="    hlg_seam::settings hlg;\n\n"),

    # ---- common/arg.cpp: the flags
    include("common/arg.cpp", '#include "speculative.h"\n'),
    Rule("flags", "common/arg.cpp",
         '    add_opt(common_arg(\n        {"-h", "--help", "--usage"},\n',
         before="    for (const auto & arg : hlg_seam::args()) { add_opt(arg); }\n"),

    # ---- common/common.cpp: the model file
    include("common/common.cpp", '#include "log.h"\n'),
    Rule("model file", "common/common.cpp",
         "    auto mparams = common_model_params_to_llama(params);\n",
         before="    hlg_seam::check_model_file(params.model.path);\n"),
    Rule("model file keys", "common/common.cpp",
         "    get_float(llama_model_meta_key_str(LLAMA_MODEL_META_KEY_SAMPLING_MIROSTAT_ETA), "
         "   sparams.mirostat_eta,    common_params_sampling_config::"
         "COMMON_PARAMS_SAMPLING_CONFIG_MIROSTAT_ETA);\n",
         after="    hlg_seam::from_model(model, sparams);\n"),

    # ---- common/sampling.cpp: the chain
    include("common/sampling.cpp", '#include "reasoning-budget.h"\n'),
    Rule("samplers that run", "common/sampling.cpp",
         "        for (const auto & cnstr : params.samplers) {\n",
         instead="        for (const auto & cnstr : hlg_seam::effective_samplers(params)) {\n"),
    Rule("our sampler", "common/sampling.cpp",
         "                default:\n"
         "                    GGML_ASSERT(false && \"unknown sampler type\");\n",
         before="                case COMMON_SAMPLER_TYPE_HLG:\n"
                "                    samplers.push_back(hlg_seam::make_sampler(params));\n"
                "                    break;\n"),
    Rule("no dist after it", "common/sampling.cpp",
         "        } else {\n            // default: sample from distribution\n",
         instead="        } else if (!hlg_seam::is_on(params)) {\n"
                 "            // default: sample from distribution\n"),
    Rule("dead row", "common/sampling.cpp",
         "    llama_sampler_apply(chain, &cur_p);\n",
         after="    hlg_seam::check_row(gsmpl->params, chain);\n", count=2),
    Rule("direct path", "common/sampling.cpp",
         "    auto & cur_p = gsmpl->cur_p; // initialized by set_logits\n",
         after="\n    if (!grmr && !rbudget && "
               "hlg_seam::sample_direct(gsmpl->params, chain, ctx, idx, gsmpl->cur, cur_p)) {\n"
               "        return cur_p.data[0].id;\n"
               "    }\n"),
    Rule("keep the pivot", "common/sampling.cpp",
         "    // resampling:\n",
         before="    hlg_seam::keep_pivot(chain);\n\n"),
    Rule("seed", "common/sampling.cpp",
         "    return llama_sampler_get_seed(gsmpl->chain);\n",
         instead="    return hlg_seam::chain_seed(gsmpl->chain);\n"),
    Rule("sampler letter", "common/sampling.cpp",
         "        case COMMON_SAMPLER_TYPE_ADAPTIVE_P:  return 'a';\n",
         after="        case COMMON_SAMPLER_TYPE_HLG:         return 'h';\n"),
    Rule("sampler name", "common/sampling.cpp",
         '        case COMMON_SAMPLER_TYPE_ADAPTIVE_P:  return "adaptive_p";\n',
         after='        case COMMON_SAMPLER_TYPE_HLG:         return "hlg";\n'),
    Rule("sampler by name", "common/sampling.cpp",
         '            { "dry",         COMMON_SAMPLER_TYPE_DRY         },\n',
         after='            { "hlg",         COMMON_SAMPLER_TYPE_HLG         },\n'),
    Rule("sampler by letter", "common/sampling.cpp",
         "        { common_sampler_type_to_chr(COMMON_SAMPLER_TYPE_DRY),         "
         "COMMON_SAMPLER_TYPE_DRY },\n",
         after="        { common_sampler_type_to_chr(COMMON_SAMPLER_TYPE_HLG),         "
               "COMMON_SAMPLER_TYPE_HLG },\n"),

    # ---- tools/server: requests and reports
    include("tools/server/server-schema.cpp", '#include "json-schema-to-grammar.h"\n'),
    Rule("request field", "tools/server/server-schema.cpp",
         '    add((new field_json("samplers"))\n',
         before='    add((new field_json("hlg"))\n'
                '        ->set_desc("Tone-curve sampling: an object of HLG settings")\n'
                "        ->set_handler([&](field_eval_context & ctx, const json & data) {\n"
                '            hlg_seam::from_json(data.at("hlg"), ctx.params.sampling.hlg);\n'
                "        }));\n\n"),
    Rule("request checks", "tools/server/server-schema.cpp",
         "    // post-processing\n    {\n",
         before="    hlg_seam::finish_request(params_base.sampling, params.sampling);\n\n"),
    include("tools/server/server-task.cpp", '#include "server-task.h"\n'),
    Rule("reported samplers", "tools/server/server-task.cpp",
         "    for (const auto & sampler : sampling.samplers) {\n",
         instead="    for (const auto & sampler : hlg_seam::effective_samplers(sampling)) {\n"),
    Rule("reported settings, short", "tools/server/server-task.cpp",
         '            {"backend_sampling",          sampling.backend_sampling},\n',
         after='            {"hlg",                       hlg_seam::to_json(sampling.hlg)},\n'),
    Rule("reported settings, long", "tools/server/server-task.cpp",
         '\n        {"backend_sampling",          sampling.backend_sampling},\n',
         after='        {"hlg",                       hlg_seam::to_json(sampling.hlg)},\n'),
    Rule("metrics", "tools/server/server-task.cpp",
         '    add_items("gauge",   gauges);\n',
         after="    prometheus << hlg_seam::metrics();\n"),
    include("tools/server/server-chat.cpp", '#include "server-chat.h"\n'),
    Rule("every key of /v1/messages", "tools/server/server-chat.cpp",
         "    // Handle Anthropic-specific thinking param\n",
         before="    hlg_seam::pass_through(body, oai_body);\n\n"),

    include("tools/server/server-http.cpp", '#include "server-http.h"\n'),
    Rule("no web page", "tools/server/server-http.cpp",
         "#if defined(LLAMA_UI_HAS_ASSETS)\n",
         instead="#if !defined(LLAMA_UI_HAS_ASSETS)\n"
                 '            srv->Get(params.api_prefix + "/", '
                 "[](const httplib::Request &, httplib::Response & res) {\n"
                 '                res.set_content(hlg_seam::no_web_page, "text/plain");\n'
                 "            });\n"
                 "#else\n"),

    # ---- tools/cli: the end of the input ends a chat, which would ask for the next line for ever
    Rule("include in cli-ui.h", "tools/cli/cli-ui.h", "#include <filesystem>\n",
         after="#include <cstdio> // hlg\n#include <iostream> // hlg\n"),
    Rule("end of input", "tools/cli/cli-ui.h",
         "            return buffer;\n",
         instead="            const bool ended = std::cin.eof() || std::feof(stdin); // hlg\n"
                 "            return ended && buffer.empty() ? \"/exit\" : buffer;\n"),

    # ---- the build: no page is a choice, not a warning at every build
    Rule("no warning without the web page", "scripts/ui-assets.cmake",
         'message(WARNING "UI: no assets available - building without an embedded UI. "',
         instead='message(STATUS "UI: no assets available - building without an embedded UI. "'),
]
