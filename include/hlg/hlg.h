/* hlg.h - tone-curve sampling: one row of logits in, one token out.
 *
 * Temperature is one slope for the whole next-token distribution. HLG bends it in three regions:
 * a shoulder for the most likely tokens, a straight middle, a toe for the tail. With
 *
 *     l = ln softmax(x)   over the whole row x of logits
 *     z = l - pivot       the distance from the pivot
 *
 * the token is drawn from softmax(g(z)), g being the curve (src/curve.h has it on one page).
 *
 * CONVENTIONS
 *   units      logits, pivots, offsets, widths, shoulders and toes are in nats; masses and
 *              probabilities are plain numbers from 0 to 1; the temperature has no unit.
 *   masked     -inf and NaN mean "masked": such a token is never drawn. The first +inf wins. A
 *              logit more than 1e30 below the largest counts as 1e30 below it.
 *   ownership  what a *_new or *_clone function returns is freed by the matching *_free function.
 *              Freeing NULL does nothing. The library keeps no pointer to a row or to params.
 *   threads    a curve is immutable: share it freely. A sampler is mutable: one per sequence, used
 *              by one thread at a time.
 *   errors     functions return a status below 0 on failure. Functions that return a token return
 *              it as a number >= 0. Nothing is printed, nothing aborts, no exception leaves.
 *   structs    set struct_size (the *_init functions do); structs only ever grow at the end. A
 *              caller compiled against an older, shorter struct is served: what it does not know is
 *              unset, or not written. A longer struct than the library knows is HLG_UNSUPPORTED, a
 *              struct_size below 4 HLG_INVALID_ARGUMENT. Sizes count in steps of 8, rounded down:
 *              a field that is cut is absent.
 *   memory     hlg_sample, hlg_sample_u and hlg_apply allocate nothing for the rows and curves that
 *              hlg_sampler_reserve has made room for. Without it a sampler's scratch grows when a
 *              row or a curve first needs more of it. hlg_last_stats allocates at each call, and
 *              hlg_sample_batch where it starts threads.
 *
 * A SAMPLE IN FIVE LINES
 *
 *     hlg_params params;  hlg_params_init(&params);  params.toe_shape = HLG_TOE_FADE;
 *     hlg_curve* curve;   hlg_curve_new(&params, &curve, NULL, 0);
 *     hlg_sampler* sampler = hlg_sampler_new(42);
 *     hlg_row row = hlg_row_f32(logits, n_vocab);
 *     int32_t token = hlg_sample(sampler, curve, &row);
 *
 * WHAT IS GUARANTEED
 *   - The token is the one of the double-precision formula, unless the uniform number lies within
 *     1e-5 of a boundary between two tokens of the cumulative distribution. So the law drawn is
 *     the law of the formula, on every CPU. One exception: under the median pivot,
 *     where the mass, summed from the top token by token, comes within 1e-6 of 1/2, the pivot may
 *     be the neighbouring token's.
 *   - This is tested for logits up to 1e9 in size and T up to 1e15. Far beyond, float32 runs out
 *     of digits and of range.
 *   - A straight curve (neutral) gives the tokens of llama.cpp's temp and dist, bit for bit.
 *   - The result depends on the row, the curve and the sampler alone, not on what else is sampled.
 *
 * STABILITY
 *   From version 0.2 on, functions keep their meaning and structs only grow.
 */
#ifndef HLG_HLG_H
#define HLG_HLG_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(HLG_SHARED)
#ifdef HLG_BUILDING
#define HLG_API __declspec(dllexport)
#else
#define HLG_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define HLG_API __attribute__((visibility("default")))
#else
#define HLG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status ---------------------------------------------------------------------------------- */

typedef enum hlg_status {
  HLG_OK = 0,
  HLG_NO_LIVE_TOKEN = -1,     /* every token of the row is masked */
  HLG_INVALID_ARGUMENT = -10, /* a NULL, an empty row, a value out of range */
  HLG_UNSUPPORTED = -20,      /* newer than this library, or than the caller's struct */
  HLG_INTERNAL = -30          /* out of memory, or a fault of the library */
} hlg_status;

/* A short name for a status ("no live token"); never NULL, for any number. */
HLG_API const char* hlg_status_name(int32_t status);

/* The version of the library, "major.minor.patch". */
HLG_API const char* hlg_version(void);

/* ---- settings -------------------------------------------------------------------------------- */

/* Shoulder, toe or width set to HLG_OFF: that bend is not there. With the width off, or with
 * shoulder and toe both off, the curve is a straight line: plain temperature ("neutral"). */
#define HLG_OFF ((double)INFINITY)
/* A field that nobody has set. It is resolved to its default last, see hlg_params_resolve. */
#define HLG_UNSET (-(double)INFINITY)
/* The same for the fields that hold a choice. */
#define HLG_UNSET_CHOICE (-1)

typedef enum hlg_pivot {
  HLG_PIVOT_TOP = 0,     /* pivot = log-probability of the top token - offset */
  HLG_PIVOT_ENTROPY = 1, /* pivot = -entropy - offset */
  HLG_PIVOT_MEDIAN = 2 /* pivot = l of the token where the mass from the top reaches 1/2 - offset */
} hlg_pivot;

typedef enum hlg_toe_shape {
  HLG_TOE_LOG = 0, /* slope falls in the tail: lifts it */
  HLG_TOE_FADE = 1 /* slope rises in the tail: presses it down */
} hlg_toe_shape;

typedef struct hlg_params {
  uint32_t struct_size;
  int32_t enabled;     /* 1, 0 or unset. Hosts read it; a curve made with 0 is a straight line,
                          a curve made from unset bends. */
  int32_t pivot;       /* an hlg_pivot, or unset */
  int32_t toe_shape;   /* an hlg_toe_shape, or unset */
  double temperature;  /* T, finite in float32, the gain is 1/T; T <= 0 is greedy */
  double pivot_offset; /* c; unset: 6 for the top pivot, else 0 */
  double width;        /* w; or off */
  double shoulder;     /* b_h; or off */
  double toe;          /* b_t; or off */
} hlg_params;

/* Every field unset, the temperature 1. size: that of the caller's hlg_params. Below 4, which
 * leaves no room for struct_size, nothing is written. */
HLG_API int32_t hlg_params_init_sized(hlg_params* params, size_t size);
static inline void hlg_params_init(hlg_params* params) {
  (void)hlg_params_init_sized(params, sizeof(*params));
}

/* Sets one knob by its name in the knob table. Choices and switches take their index (off 0, on 1).
 * HLG_UNSET takes the value back. Returns HLG_INVALID_ARGUMENT for an unknown name or a value that
 * is not allowed, HLG_UNSUPPORTED for a field that an older caller's struct does not have; params
 * is then unchanged. */
HLG_API int32_t hlg_params_set(hlg_params* params, const char* name, double value);

/* The same from text, as on a command line: "4", "off", "fade", "on". Numbers have a decimal point,
 * whatever the locale. */
HLG_API int32_t hlg_params_set_text(hlg_params* params, const char* name, const char* text);

/* Reads one knob by name; *value becomes HLG_UNSET where nobody has set it. */
HLG_API int32_t hlg_params_get(const hlg_params* params, const char* name, double* value);

/* Copies every field that is set in `above` over the field in `params` (not the temperature).
 * Values that are not allowed are copied too: hlg_params_check names them. HLG_UNSUPPORTED, and no
 * change, where `above` sets a field that the struct of `params` does not have. */
HLG_API int32_t hlg_params_overlay(hlg_params* params, const hlg_params* above);

/* Replaces what is unset by the built-in default, for hosts that report settings. The default of
 * `enabled` is off: a curve made of resolved params is a straight line unless somebody has set
 * `enabled` to 1. hlg_curve_new resolves by itself, and takes an unset `enabled` for 1. */
HLG_API int32_t hlg_params_resolve(hlg_params* params);

/* Checks every field. On failure a line that names the field, the value and what is allowed, or
 * says "out of memory", is written to message (message_size bytes at most, NULL for none). */
HLG_API int32_t hlg_params_check(const hlg_params* params, char* message, size_t message_size);

/* ---- the table of knobs: the one place that says what can be set ----------------------------- */

typedef enum hlg_knob_kind {
  HLG_KNOB_SWITCH = 0, /* off, on */
  HLG_KNOB_CHOICE = 1, /* one word of choices */
  HLG_KNOB_NUMBER = 2  /* from min to max, or off where can_be_off is set */
} hlg_knob_kind;

typedef struct hlg_knob {
  const char* name; /* key in JSON and in a model file: "width" */
  const char* flag; /* command line, without the dashes: "hlg-width" */
  int32_t kind;     /* an hlg_knob_kind */
  int32_t can_be_off;
  double min, max;
  double value;               /* built-in default; HLG_UNSET where default_text explains it */
  const char* default_text;   /* the default in words */
  const char* unit;           /* "nats" or "" */
  const char* const* choices; /* n_choices words, for switches and choices */
  int32_t n_choices;
  const char* direction; /* what a larger value does to the entropy (top pivot) */
  const char* help;      /* what it does, in a sentence */
  const char* when;      /* when to turn it, in a sentence */
} hlg_knob;

HLG_API int32_t hlg_knob_count(void);
/* Knob number i, or NULL. */
HLG_API const hlg_knob* hlg_knob_get(int32_t i);
/* The knob of that name, or NULL. */
HLG_API const hlg_knob* hlg_knob_find(const char* name);
/* What a knob allows, in words: "a number from 0 to 40, or off". Returns the length, as snprintf;
 * text may be NULL. */
HLG_API int32_t hlg_knob_allowed(const hlg_knob* knob, char* text, size_t text_size);
/* A value as hlg_params_set_text reads it: "2.5", "off", "fade"; or "unset". A number is the
 * shortest text that reads back as the same double. Returns the length, as snprintf. */
HLG_API int32_t hlg_knob_text(const hlg_knob* knob, double value, char* text, size_t text_size);

/* ---- the curve ------------------------------------------------------------------------------- */

typedef struct hlg_curve hlg_curve;

/* Checks and resolves params and makes a curve of them. On failure *curve is NULL and message says
 * why, as in hlg_params_check. */
HLG_API int32_t hlg_curve_new(const hlg_params* params, hlg_curve** curve, char* message,
                              size_t message_size);
HLG_API void hlg_curve_free(hlg_curve* curve);

/* g(z) and its slope g'(z), in double. z in nats from the pivot. 0 everywhere for a greedy curve,
 * NaN for a NULL one. */
HLG_API double hlg_curve_eval(const hlg_curve* curve, double z);
HLG_API double hlg_curve_slope(const hlg_curve* curve, double z);

/* The resolved settings. params->struct_size must be set. */
HLG_API int32_t hlg_curve_params(const hlg_curve* curve, hlg_params* params);

/* 1 where the curve is a straight line: sampling is then plain temperature, bit for bit. */
HLG_API int32_t hlg_curve_is_neutral(const hlg_curve* curve);
/* 1 where the most likely token is always taken: T below 1e-4 for a bent curve, below the normal
 * floats (1.2e-38) for a straight one. */
HLG_API int32_t hlg_curve_is_greedy(const hlg_curve* curve);

/* ---- sampling -------------------------------------------------------------------------------- */

/* The types of logits. Each is read as it is, without a copy; what is computed from a row is the
 * same, bit for bit, as from the row of float32 with these values. */
typedef enum hlg_dtype {
  HLG_FLOAT32 = 0,
  HLG_FLOAT16 = 1, /* IEEE binary16 */
  HLG_BFLOAT16 = 2 /* the upper half of a float32 */
} hlg_dtype;

typedef struct hlg_row {
  uint32_t struct_size;
  int32_t dtype;    /* an hlg_dtype; others are HLG_UNSUPPORTED */
  const void* data; /* the logits, aligned to the size of one */
  int64_t n;        /* how many, from 1 to INT32_MAX */
} hlg_row;

/* A row of n logits of a type. */
static inline hlg_row hlg_row_of(hlg_dtype dtype, const void* data, int64_t n) {
  hlg_row row;
  row.struct_size = (uint32_t)sizeof(row);
  row.dtype = (int32_t)dtype;
  row.data = data;
  row.n = n;
  return row;
}

/* A row of n float32 logits. */
static inline hlg_row hlg_row_f32(const float* data, int64_t n) {
  return hlg_row_of(HLG_FLOAT32, data, n);
}

typedef struct hlg_sampler hlg_sampler;

/* A sampler: a std::mt19937 generator, the last pivot, scratch. NULL when out of memory. */
HLG_API hlg_sampler* hlg_sampler_new(uint32_t seed);
HLG_API void hlg_sampler_free(hlg_sampler* sampler);
/* The generator, the last pivot and whether it is to be kept are copied, scratch is not. */
HLG_API hlg_sampler* hlg_sampler_clone(const hlg_sampler* sampler);
HLG_API int32_t hlg_sampler_copy(hlg_sampler* to, const hlg_sampler* from);
/* Back to the state after hlg_sampler_new(seed). */
HLG_API int32_t hlg_sampler_reset(hlg_sampler* sampler, uint32_t seed);

/* Draws one token: its index in the row, or a status. Takes one uniform from the generator, in the
 * way of llama.cpp's `dist`, whatever the row holds; none where the call is refused with
 * HLG_INVALID_ARGUMENT or HLG_UNSUPPORTED, which leaves the sampler as it was. */
HLG_API int32_t hlg_sample(hlg_sampler* sampler, const hlg_curve* curve, const hlg_row* row);
/* The same with the uniform given, 0 <= u < 1; the generator is not touched. */
HLG_API int32_t hlg_sample_u(hlg_sampler* sampler, const hlg_curve* curve, const hlg_row* row,
                             double u);

/* Writes the natural log-probabilities of the distribution that would be drawn from: row->n
 * floats, -inf for masked tokens. A row with a +inf gets 0 at the first one and -inf elsewhere. On
 * an error logprobs is left alone. It may be the array of a row of float32. What is written is the
 * curve's own law, off by at most 1e-5 * max(1, g'(z)) where the probability is above 1e-12; but
 * the token of a straight curve is drawn in llama.cpp's float arithmetic, where x/T is rounded, and
 * at |x/T| around 1e8 the two differ. */
HLG_API int32_t hlg_apply(hlg_sampler* sampler, const hlg_curve* curve, const hlg_row* row,
                          float* logprobs);

/* The next call of hlg_sample, hlg_sample_u or hlg_apply uses the pivot of the last one instead of
 * computing its own, once. For rows that were masked in between, by a grammar say: the token is
 * then drawn from the first distribution, restricted to what is allowed. A row without a live token
 * uses it up too; a call that is refused does not. */
HLG_API int32_t hlg_sampler_keep_pivot(hlg_sampler* sampler);

/* Makes room for rows of up to n logits (1 to INT32_MAX) under this curve. The median pivot needs
 * the most: what is made for it serves every curve. */
HLG_API int32_t hlg_sampler_reserve(hlg_sampler* sampler, const hlg_curve* curve, int64_t n);

/* One draw of a batch. */
typedef struct hlg_batch_item {
  uint32_t struct_size; /* the same in all items of a batch: it leads from one to the next */
  int32_t token;        /* the result, as of hlg_sample */
  hlg_sampler* sampler;
  const hlg_curve* curve;
  const hlg_row* row;
} hlg_batch_item;

/* hlg_sample for each item, each with its own settings and generator; curves and rows may be
 * shared. A sampler may stand in one item only: twice is a data race. The tokens do not depend on
 * the order or the number of items, nor on n_threads (at least 1; the calling thread is one of
 * them, the others are started at each call; where they cannot be had, fewer do the work). An item
 * that fails has its status in its own token. Items of unequal sizes are HLG_INVALID_ARGUMENT:
 * nothing is drawn or written. */
HLG_API int32_t hlg_sample_batch(hlg_batch_item* items, int64_t n_items, int32_t n_threads);

/* ---- what a draw did ------------------------------------------------------------------------- */

typedef struct hlg_stats {
  uint32_t struct_size;
  uint32_t reserved;
  double pivot;          /* mu, a log-probability */
  double entropy_before; /* of softmax(x), nats */
  double entropy_after;  /* of the distribution drawn from, nats */
  double mass_toe;       /* of the distribution drawn from; a token on a knot is in the middle */
  double mass_middle;
  double mass_shoulder;
  int64_t n_live; /* not masked; every +inf counts, though only the first can be drawn */
  int64_t n_nan;
} hlg_stats;

/* The statistics of the last draw, of `sampler` under `curve` from `row` (the same ones again).
 * Computed here and now, in double, at a cost of many draws. HLG_NO_LIVE_TOKEN where all is masked
 * (n_nan is set). Of a row with a +inf, all but n_live and n_nan is that of a row of one token.
 * stats->struct_size must be set. */
HLG_API int32_t hlg_last_stats(const hlg_sampler* sampler, const hlg_curve* curve,
                               const hlg_row* row, hlg_stats* stats);

/* ---- CPU targets ----------------------------------------------------------------------------- */

/* The vector instruction sets this library can use on this machine, best first. */
HLG_API int32_t hlg_target_count(void);
HLG_API const char* hlg_target_name(int32_t i); /* NULL out of range */

/* The one in use. By default the one that the environment variable HLG_TARGET names; the best where
 * it is not set, or names none of this machine. */
HLG_API const char* hlg_target_in_use(void);

/* Uses the one of that name from now on, in all threads; NULL: the default again. A name that is
 * not in the list is HLG_INVALID_ARGUMENT and changes nothing. */
HLG_API int32_t hlg_target_force(const char* name);

#ifdef __cplusplus
}
#endif

#endif /* HLG_HLG_H */
