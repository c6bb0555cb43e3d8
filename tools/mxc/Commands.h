// What each subcommand is told, and the functions that do it: one file a subcommand. They return normally
// when done and throw mxc::Error (main.cpp makes the exit status of it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mxc {

struct CompileCommand {
  std::string input;               // a file, "-" for standard input
  std::string targets = "sm_100a"; // "sm_100a,sm_90a"
  std::string output;              // empty: chosen by the stage
  std::string emit;                // empty: cubin, or fatbin for several targets
  std::string image;               // what a header holds; empty: fatbin
  std::string tile, assembler = "auto";
  std::string ptx;                 // "9.1"; empty: what the assembler reads
  std::vector<std::string> shapes; // of the launches that it is for; none: all
  bool listTiles = false, noCache = false;
};
void compileKernel(const CompileCommand &command);
void listKernelTiles(const CompileCommand &command);

struct InspectCommand {
  std::string input;
  bool json = false, isAll = false; // all: launches, budgets, workspaces
};
void inspectImage(const InspectCommand &command);

struct LayoutCommand {
  std::string shape;                 // M and K, with convert M and KB: "M=1000,K=7168", "1000x7168"
  std::optional<int64_t> row, block; // explain
  std::optional<int64_t> offset;     // invert
  std::vector<int32_t> ends;         // of groups of rows; none: one matrix
  int64_t align = 128;               // of where they begin
  std::string format;                // a block format; empty: the table's first
  bool draw = false;
  std::string convert, input, output; // "dense:tcgen05"
  std::string tensor;
};
void explainLayout(const LayoutCommand &command);
void convertLayout(const LayoutCommand &command);

struct ConvertCommand {
  std::string checkpoint, output;        // files, or folders of shards
  std::string to;                        // "nvfp4", "bf16"
  std::string as = "compressed-tensors"; // or "modelopt"
  std::string device;                    // "": the host
  std::vector<std::string> only, except; // patterns of tensors' names
  std::vector<std::string> fused;        // "q_lin,k_lin,v_lin"
  bool verify = false;
};
void convertCheckpoint(const ConvertCommand &command);

struct RunCommand {
  std::string kernelFile, device, output, kernel, tile;
  std::vector<std::string> inputs;
  std::vector<std::string> shapes;  // "M=128": what no input determines
  std::vector<std::string> scalars; // "alpha=0.5"
  std::optional<uint32_t> entry;    // which variant of the ABI
  bool verify = false, pdl = false, noCache = false, noTuning = false;
  // Of a simulator; "": as the environment says; stats "text" or "json".
  std::string schedule, checks, tensor, stats, timeline, features; // the last two: files
  std::string timelineWindow;                                      // "FROM:TO"; "": all
};
void runKernel(const RunCommand &command);

struct BenchCommand {
  std::vector<std::string> files;           // MLIR or images
  std::string device, kernel;               // kernel: which one, of files with several
  std::vector<std::string> shapes, scalars; // "M=8192,K=8192" or "8192x8192"; "alpha=0.5"
  std::vector<std::string> tiles;           // each a contender; none: the default ones
  std::string json, csv, html;              // files
  int rounds = 11;
  std::optional<int> settle; // milliseconds
  bool pdl = false, warm = false, noCache = false, noTuning = false;
};
void benchKernels(const BenchCommand &command);

struct TuneCommand {
  std::string kernelFile, device, kernel, assembler = "all";
  std::vector<std::string> shapes;  // "M=8192,K=7168" or "8192x7168"
  std::vector<std::string> scalars; // "alpha=0.5"
  bool pdl = false, noCache = false;
  std::string json;                         // a file, "-" for standard output; "": none
  std::string exportBase;                   // of BASE.fatbin and BASE.json
  std::string import;                       // a bundle's JSON
  bool isListed = false, isCleared = false; // the database's choices: of the kernel file, or all
};
void tuneKernel(const TuneCommand &command);

void listCache();
void clearCache();
void verifyCache(); // throws mxc::Error (InvalidInput) if an entry was damaged; it is gone then

struct SimulateCommand {
  std::string input, entry, target;              // target "": the text's own
  std::vector<std::string> program;              // instead of a text: a program and its arguments
  std::string grid = "1", block = "32", cluster; // "X", "X,Y" or "X,Y,Z"; no cluster: an implicit one of 1
  uint32_t sharedBytes = 0;                      // dynamic
  std::vector<std::string> arguments;            // "u32:5", "in:FILE", "out:FILE:BYTES", "inout:FILE"
  std::string schedule, checks, tensor;          // "": as the environment says
  std::string trace;                             // "CTA:WARP"
  std::string stats;                             // "", "text" or "json"
  std::string timeline, features;                // files; "": none
  std::string timelineWindow;                    // "FROM:TO"; "": all
  bool isCooperative = false, listUnsupported = false;
};
void simulatePtx(const SimulateCommand &command);
void simulateProgram(const SimulateCommand &command); // returns only by an error

} // namespace mxc
