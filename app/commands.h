// The subcommands of the hlg program: one file each, one function each. argv[0] is the name of the
// subcommand. The result is the exit status; flags.h lists them.
#pragma once

int command_apply(int argc, char** argv);
int command_chat(int argc, char** argv);
int command_complete(int argc, char** argv);
int command_curve(int argc, char** argv);
int command_draw(int argc, char** argv);
int command_harm(int argc, char** argv);
int command_harm_fit(int argc, char** argv);
int command_kl(int argc, char** argv);
int command_models(int argc, char** argv);
int command_record(int argc, char** argv);
int command_serve(int argc, char** argv);
int command_sweep(int argc, char** argv);
int command_version(int argc, char** argv);
