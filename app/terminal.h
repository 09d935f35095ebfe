// Whether a stream goes to a terminal.
#pragma once

#include <cstdio>

#ifdef _WIN32
#include <io.h>
inline bool is_terminal(std::FILE* stream) { return _isatty(_fileno(stream)) != 0; }
#else
#include <unistd.h>
inline bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }
#endif
