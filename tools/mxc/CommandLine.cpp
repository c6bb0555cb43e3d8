// The one file that includes CLI11 (its headers take seconds to compile).
#include "tools/mxc/CommandLine.h"

#include "chips/Chip.h"
#include "compiler/Compiler.h"
#include "compiler/CompilerIdentity.h"
#include "compiler/abi/Version.h"
#include "compiler/targets/Target.h"
#include "dialect/formats/Error.h"
#include "runtime/simulator/driver/Chips.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/Commit.h"
#include "tools/mxc/HelpPages.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/OutputFile.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cuda.h>

#include <functional>
#include <limits>
#include <map>

namespace mxc {

static std::string versionText() {
  constexpr int kMajor = CUDA_VERSION / 1000, kMinor = CUDA_VERSION % 1000 / 10;
  return std::string("mxc ") + kVersion + "\nwith " + compilerDescription() + "\nwith the headers of CUDA " +
         std::to_string(kMajor) + "." + std::to_string(kMinor) + "\nof commit " + commit();
}

/// What options may be given, for shells: CLI11 has no place for it.
using Choices = std::map<const CLI::Option *, std::vector<std::string>>;

static OptionHelp helpOf(const CLI::Option &option, const Choices &choices) {
  OptionHelp help;
  for (const std::string &name : option.get_snames())
    help.names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    help.names.push_back("--" + name);
  if (option.get_positional()) help.names = {option.get_name(true, false)};
  if (option.get_type_size() != 0 && option.nonpositional()) {
    help.value = option.get_type_name();
    if (!option.get_default_str().empty()) help.value += "=" + option.get_default_str();
  }
  help.description = option.get_description();
  help.isRequired = option.get_required();
  help.isRepeated = option.get_positional() && option.get_expected_max() > 1;
  if (auto known = choices.find(&option); known != choices.end()) help.choices = known->second;
  return help;
}

static CommandHelp helpOf(const CLI::App &app, const std::string &before, const Choices &choices) {
  CommandHelp help{before + app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option *option : app.get_options())
    (option->get_positional() ? help.positionals : help.options).push_back(helpOf(*option, choices));
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
    help.commands.push_back(helpOf(*command, help.name + " ", choices));
  return help;
}

static std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const Target *target : allTargets())
    names.emplace_back(target->name);
  return names;
}

static std::vector<std::string> chipNames() {
  std::vector<std::string> names;
  for (const sim::Chip &chip : sim::chips())
    names.push_back(chip.target.text());
  return names;
}

static std::vector<std::string> deviceNames() {
  std::vector<std::string> names = {"cuda:0"};
  for (const std::string &chip : chipNames())
    names.push_back("simulator:" + chip);
  return names;
}

static std::vector<std::string> stageNames(Stage first) {
  std::vector<std::string> names;
  for (Stage stage = first; stage <= Stage::Fatbin; stage = Stage(int(stage) + 1))
    names.emplace_back(name(stage));
  return names;
}

namespace {

class CommandLine {
public:
  CommandLine() {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", versionText());
    app_.formatter_fn([](const CLI::App *app, const std::string &, CLI::AppFormatMode) {
      return helpText(helpOf(*app, app->get_parent() ? parents(*app->get_parent()) : "", {}), helpWidth());
    });
    app_.add_flag_callback(
        "--man", [this] { show(manPage(helpOf(app_, "", {}), kVersion)); },
        "Print this and the help of all commands as a man page");
    app_.add_option_function<std::string>(
            "--completion",
            [this](const std::string &shell) { show(completion(helpOf(app_, "", choices()), shell)); },
            "Print a script with which bash, zsh or fish completes the command line")
        ->type_name("SHELL");
    app_.footer("Example:\n  mxc compile docs/examples/quantize.mlir --target=sm_90a -o q.cubin\n"
                "Exit status: 0 done, 1 the input is at fault, 2 the command line is, 3 the device or driver "
                "failed.");
    addCompile();
    addRun();
    addTune();
    addInspect();
    addLayout();
    addConvert();
    addBench();
    addCache();
    addSimulate();
  }

  /// What shells offer. An option that several commands have may be the same in all.
  Choices choices() const {
    std::vector<std::string> emitted = stageNames(Stage::Mlir);
    emitted.push_back("header");
    const std::pair<const char *, std::vector<std::string>> ofAll[] = {
        {"--device", deviceNames()},
        {"--schedule", {"eager", "lazy", "sweep"}},
        {"--checks", {"off", "standard", "strict"}},
        {"--tensor", {"exact", "f64"}},
        {"--stats", {"text", "json"}},
        {"--completion", {"bash", "zsh", "fish"}},
        {"--emit", emitted},
        {"--image", stageNames(Stage::Ptx)},
        {"--to", {"nvfp4", "mxfp8", "mxfp4", "bf16"}},
        {"--as", {"compressed-tensors", "modelopt"}}};
    Choices result;
    auto offer = [&](const CLI::App *command, const char *name, const std::vector<std::string> &values) {
      if (const CLI::Option *option = command->get_option_no_throw(name)) result[option] = values;
    };
    std::vector<const CLI::App *> commands = app_.get_subcommands([](const CLI::App *) { return true; });
    commands.push_back(&app_);
    for (const CLI::App *command : commands)
      for (const auto &[name, values] : ofAll)
        offer(command, name, values);
    offer(app_.get_subcommand("compile"), "--target", targetNames());
    offer(app_.get_subcommand("simulate"), "--target", chipNames());
    offer(app_.get_subcommand("compile"), "--assembler", {"auto", "nvjitlink", "ptxas"});
    offer(app_.get_subcommand("tune"), "--assembler", {"all", "auto", "nvjitlink", "ptxas"});
    return result;
  }

  int run(int argc, char **argv) {
    try {
      app_.parse(takeProgram(argc, argv), argv);
      if (!simulate_.program.empty()) checkProgramOptions();
    } catch (const CLI::Success &help) {
      return app_.exit(help);
    } catch (const CLI::ParseError &error) {
      std::string command =
          app_.get_subcommands().empty() ? "" : " " + app_.get_subcommands().front()->get_name();
      say("mxc: error: " + textOf(error) + "; see: mxc" + command + " --help");
      return 2;
    }
    action_();
    return 0;
  }

private:
  /// "mxc cache ": what comes before a subcommand's name.
  static std::string parents(const CLI::App &app) {
    return (app.get_parent() ? parents(*app.get_parent()) : "") + app.get_name() + " ";
  }

  /// Ends the command line as --help does: nothing else is asked for.
  [[noreturn]] static void show(const std::string &text) {
    writeOutput("-", text);
    throw CLI::Success();
  }

  /// What follows "simulate .. --" is a program's own. Returns how many words are mxc's.
  int takeProgram(int argc, char **argv) {
    if (argc < 2 || std::string_view(argv[1]) != "simulate") return argc;
    for (int i = 2; i < argc; ++i) {
      if (std::string_view(argv[i]) != "--") continue;
      if (i + 1 == argc) throw Error(ErrorKind::Usage, "simulate: expected a program after --");
      simulate_.program.assign(argv + i + 1, argv + argc);
      return i;
    }
    return argc;
  }

  /// How a program launches is its own affair.
  void checkProgramOptions() const {
    const CLI::App *simulate = app_.get_subcommand("simulate");
    for (const char *name : {"ptx", "--entry", "--grid", "--block", "--cluster", "--cooperative", "--shared",
                             "--arg", "--stats", "--list-unsupported"})
      if (simulate->get_option(name)->count())
        throw Error(ErrorKind::Usage,
                    std::string("simulate: ") + name + " is for a PTX file, but a program stands after --");
  }

  /// CLI11 calls a word that is no subcommand a missing one.
  std::string textOf(const CLI::ParseError &error) {
    CLI::App *at = &app_;
    while (!at->get_subcommands().empty())
      at = at->get_subcommands().front();
    const std::vector<std::string> left = at->remaining();
    if (at->get_require_subcommand_min() == 0 || left.empty()) return error.what();
    std::string names;
    for (const CLI::App *known : at->get_subcommands([](CLI::App *) { return true; }))
      names += (names.empty() ? "" : ", ") + known->get_name();
    return "expected one of " + names + ", found '" + left.front() + "'";
  }

  CLI::App *add(const std::string &name, const std::string &description, std::function<void()> action,
                const std::string &example) {
    CLI::App *command = app_.add_subcommand(name, description);
    command->callback([this, action] { action_ = action; });
    command->footer("Example:\n" + example);
    return command;
  }

  static void addTile(CLI::App *command, std::string &tile, const std::string &description) {
    command->add_option("--tile", tile, description)->type_name("TILE")->join(';');
  }

  static void addShapes(CLI::App *command, const std::string &names, std::vector<std::string> &shapes,
                        const std::string &description) {
    command->add_option(names, shapes, description + "; repeatable")
        ->type_name("SHAPE")
        ->allow_extra_args(false);
  }

  static void addWindow(CLI::App *command, std::string &window, CLI::Option *timeline) {
    command->add_option("--timeline-window", window, "Instructions of each cluster that the timeline holds")
        ->type_name("FROM:TO")
        ->needs(timeline);
  }

  /// CLI11 cuts what is beyond 64 bits, and says of other words that they could not be converted.
  template <typename Number> static CLI::Validator whole() {
    using Limits = std::numeric_limits<Number>;
    auto fault = [](const std::string &text) -> std::string {
      Number value = 0;
      const bool isNumber = CLI::detail::lexical_cast(text, value);
      const bool isCut = value == Limits::max() && text != std::to_string(value);
      if (isNumber && !isCut) return "";
      return "expected a whole number from " + std::to_string(Limits::min()) + " to " +
             std::to_string(Limits::max()) + ", found '" + text + "'";
    };
    return {fault, ""};
  }

  static void addNoCache(CLI::App *command, bool &noCache) {
    command->add_flag("--no-cache", noCache, "Compile even what the kernel cache has, and keep nothing");
  }

  void addCompile() {
    CLI::App *c = add(
        "compile", "Compile a kernel to a self-describing image, or to a stage on the way",
        [this] { compile_.listTiles ? listKernelTiles(compile_) : compileKernel(compile_); },
        "  mxc compile docs/examples/quantize.mlir --target=sm_100a,sm_90a -o q.fatbin\n"
        "  mxc compile docs/examples/quantize.mlir --target=sm_90a --emit=header -o quantize.hpp\n"
        "  mxc compile docs/examples/quantize.mlir --target=sm_90a --tile='rows_per_warp = 1, warps = 4, "
        "when = \"M <= 128\"' --tile='warps = 16' -o q.cubin\n"
        "  mxc compile docs/examples/matmul.mlir --target=sm_90a --shape 64x8192x8192 -o few_rows.cubin\n"
        "  mxc compile docs/examples/matmul.mlir --target=sm_100a --list-tiles\n"
        "A kernel has an entry point for each kind of shape, a product for sm_90a some 50, and each takes "
        "about "
        "half a second of a core, half of that in the assembler. What shortens it: --shape, or sizes in the "
        "kernel's types; --tile, which is one entry point; the kernel cache, which keeps what was compiled. "
        "A "
        "host that compiles at its first launch (mxc.h, mxc.torch) compiles the entry point of that launch "
        "first, and the others on threads meanwhile.");
    c->add_option("kernel", compile_.input, "The kernel's MLIR, - for standard input")->required();
    c->add_option("--target", compile_.targets,
                  "One of " + compiledChipNames() + "; several with commas: a fatbin")
        ->type_name("CHIP[,CHIP]")
        ->capture_default_str();
    c->add_option("-o,--output", compile_.output,
                  "The output; - is standard output. Default: text goes to standard output, an image to "
                  "KERNEL.cubin in this folder")
        ->type_name("FILE");
    c->add_option(
         "--emit", compile_.emit,
         "mlir, tile, nvvm, llvm, ptx, cubin or fatbin; header: C++ with the image in it and a class "
         "for each kernel")
        ->type_name("STAGE");
    c->add_option("--image", compile_.image, "What a header holds: fatbin (the default), cubin or ptx")
        ->type_name("STAGE");
    addTile(
        c, compile_.tile,
        "A tile attribute or what stands inside it, for all kernels; repeatable: a launch takes the first "
        "that fits");
    c->add_flag("--list-tiles", compile_.listTiles,
                "Only list the tiles that --tile may choose, and why others are refused");
    c->add_option("--assembler", compile_.assembler, "auto, nvjitlink or ptxas")
        ->type_name("NAME")
        ->capture_default_str();
    addShapes(c, "--shape", compile_.shapes,
              "Compile only the entry points that launches of this shape take, M=8192,N=8192,K=8192 (SMs=114 "
              "too: multiprocessors), and one that takes all others");
    addNoCache(c, compile_.noCache);
    c->add_option("--ptx", compile_.ptx, "The newest PTX to write, as 9.1; default: what the assembler reads")
        ->type_name("VERSION");
  }

  void addRun() {
    CLI::App *c = add(
        "run", "Run a kernel on tensors from safetensors files", [this] { runKernel(run_); },
        "  tools/dev/make-input in.safetensors x=1000x7168\n"
        "  mxc run docs/examples/quantize.mlir --device=cuda:0 --input in.safetensors "
        "--output out.safetensors --verify");
    c->add_option("kernel", run_.kernelFile, "MLIR, or an image that mxc compiled")->required();
    c->add_option("--device", run_.device, "cuda:N or simulator:CHIP")->required()->type_name("DEVICE");
    c->add_option("--input", run_.inputs, "Tensors, bound to the kernel's arguments by name; repeatable")
        ->required()
        ->type_name("FILE")
        ->allow_extra_args(false);
    c->add_option("--output", run_.output, "Where the results go, as safetensors")->type_name("FILE");
    c->add_option("--kernel", run_.kernel, "Which one, if the file holds several")->type_name("NAME");
    addShapes(c, "--shape,--dim", run_.shapes, "Sizes that no input determines, as M=128,KB=4");
    c->add_option("--scalar", run_.scalars, "A scalar argument, as alpha=0.5; repeatable")
        ->type_name("NAME=NUMBER")
        ->allow_extra_args(false);
    addTile(c, run_.tile, "As for compile; needs MLIR");
    c->add_option("--entry", run_.entry, "Force variant N of the ABI (mxc inspect lists them from 0)")
        ->type_name("N")
        ->check(whole<uint32_t>());
    c->add_flag("--verify", run_.verify, "Compare the results with the host reference, byte for byte");
    c->add_flag("--pdl", run_.pdl, "Launch with programmatic dependent launch");
    addNoCache(c, run_.noCache);
    c->add_flag("--no-tuning", run_.noTuning, "Launch as the heuristics choose, whatever mxc tune found");
    c->add_option(
         "--schedule", run_.schedule,
         "On a simulator: eager, lazy or random:SEED; sweep[:SEEDS] tries them all, to the first finding")
        ->type_name("SCHEDULE");
    c->add_option(
         "--checks", run_.checks,
         "On a simulator: off, standard or strict; strict,-shared-race leaves findings of that name out")
        ->type_name("LEVEL");
    c->add_option("--tensor", run_.tensor, "On a simulator: how tensor cores add up, exact or f64")
        ->type_name("ARITHMETIC");
    c->add_option("--stats", run_.stats, "On a simulator: print what the kernel did, as text or json")
        ->type_name("FORMAT");
    CLI::Option *timeline =
        c->add_option("--timeline", run_.timeline,
                      "On a simulator: write what warps, rings and asynchronous operations did, for "
                      "ui.perfetto.dev")
            ->type_name("FILE");
    addWindow(c, run_.timelineWindow, timeline);
    c->add_option(
         "--features", run_.features,
         "On a simulator: write which instructions, descriptors and idioms the kernel uses, a line each")
        ->type_name("FILE");
  }

  void addTune() {
    CLI::App *c = add(
        "tune", "Find the fastest tiles of a kernel for shapes on a device, and keep them",
        [this] { tuneKernel(tune_); },
        "  mxc tune docs/examples/quantize.mlir --device=cuda:0 --shape M=8192,K=8192 --shape M=128,K=7168\n"
        "  mxc tune docs/examples/quantize.mlir --device=cuda:0 --export tuned\n"
        "  mxc tune --import tuned.json\n"
        "  mxc tune --list");
    CLI::Option *kernel =
        c->add_option("kernel", tune_.kernelFile, "The kernel's MLIR, - for standard input");
    c->add_option("--device", tune_.device, "cuda:N; on simulator:CHIP tiles are ranked by counts")
        ->type_name("DEVICE");
    addShapes(c, "--shape", tune_.shapes, "All dynamic dimensions, as M=8192,K=7168 or 8192x7168");
    c->add_option("--kernel", tune_.kernel, "Which one, if the file holds several")->type_name("NAME");
    c->add_option("--scalar", tune_.scalars, "A scalar argument, as alpha=0.5; repeatable")
        ->type_name("NAME=NUMBER")
        ->allow_extra_args(false);
    c->add_option("--assembler", tune_.assembler, "all that are installed, auto, nvjitlink or ptxas")
        ->type_name("NAME")
        ->capture_default_str();
    c->add_flag("--pdl", tune_.pdl, "Time programmatic dependent launches");
    c->add_flag("--no-cache", tune_.noCache, "Compile even what the kernel cache has, and keep nothing");
    c->add_option("--json", tune_.json, "Every candidate's times as JSON; - is standard output")
        ->type_name("FILE");
    c->add_option("--export", tune_.exportBase,
                  "Write BASE.fatbin, with the chosen tiles in it, and BASE.json, for --import")
        ->type_name("BASE");
    const std::vector<CLI::Option *> ofTuning = c->get_options();
    for (CLI::Option *option : ofTuning)
      if (option != kernel && option != c->get_help_ptr()) option->needs(kernel);
    CLI::Option *import =
        c->add_option("--import", tune_.import, "Import what was exported elsewhere")->type_name("FILE");
    CLI::Option *list = c->add_flag("--list", tune_.isListed,
                                    "Only print the choices that are kept, for a kernel or for all");
    CLI::Option *clear = c->add_flag("--clear", tune_.isCleared,
                                     "Only forget the choices that are kept, for a kernel or for all");
    list->excludes(clear)->excludes(import);
    clear->excludes(import);
    for (CLI::Option *option : ofTuning)
      if (option != kernel && option != c->get_help_ptr()) list->excludes(option), clear->excludes(option);
  }

  void addInspect() {
    CLI::App *c = add(
        "inspect", "Print the ABI that an image carries", [this] { inspectImage(inspect_); },
        "  mxc compile docs/examples/quantize.mlir --target=sm_90a -o q.cubin\n"
        "  mxc inspect q.cubin");
    c->add_option("image", inspect_.input, "A cubin, fatbin or PTX file that mxc compiled")->required();
    c->add_flag(
        "--all", inspect_.isAll,
        "Also print how each variant is launched, its budgets and registers, the work, and workspaces");
    c->add_flag("--json", inspect_.json, "Print the records as JSON: an object, or for a fatbin an array");
  }

  void addLayout() {
    CLI::App *c = add(
        "layout", "Explain, draw or convert scale layouts",
        [this] { layout_.convert.empty() ? explainLayout(layout_) : convertLayout(layout_); },
        "  mxc layout --shape 1000x7168 --row 300 --block 17");
    c->add_option("--shape", layout_.shape,
                  "The matrix, M=1000,K=7168 or 1000x7168; with --convert the scales, M and KB")
        ->type_name("SHAPE");
    CLI::Option *row = c->add_option("--row", layout_.row, "Explain where the scale of this row ...")
                           ->type_name("R")
                           ->check(whole<int64_t>());
    c->add_option("--block", layout_.block, "... and block lies")
        ->type_name("B")
        ->check(whole<int64_t>())
        ->needs(row);
    CLI::Option *offset = c->add_option("--offset", layout_.offset,
                                        "The inverse: to which block the byte at this offset belongs")
                              ->type_name("N")
                              ->check(whole<int64_t>());
    CLI::Option *ends =
        c->add_option("--ends", layout_.ends, "Rows lie in groups that end here: 300,300,1000")
            ->type_name("END,..")
            ->delimiter(',')
            ->check(whole<int32_t>());
    c->add_option("--align", layout_.align, "Groups begin on multiples of it: 1 or 128 (default)")
        ->type_name("ROWS")
        ->check(CLI::IsMember({1, 128}))
        ->needs(ends);
    c->add_option("--format", layout_.format, "The block format; default mxfp8_e4m3")->type_name("NAME");
    CLI::Option *draw = c->add_flag("--draw", layout_.draw, "Draw a tcgen05 tile");
    CLI::Option *convert = c->add_option("--convert", layout_.convert,
                                         "FROM:TO of dense, tcgen05, mn_major, mn_packed and padded");
    convert->type_name("FROM:TO");
    for (CLI::Option *explains : {row, offset, ends, draw})
      convert->excludes(explains);
    c->add_option("--input", layout_.input, "Safetensors to convert")->type_name("FILE")->needs(convert);
    c->add_option("--output", layout_.output, "Where the converted file goes")
        ->type_name("FILE")
        ->needs(convert);
    c->add_option("--name", layout_.tensor, "The tensor to convert; others are kept as they are")
        ->type_name("TENSOR")
        ->needs(convert);
  }

  void addConvert() {
    CLI::App *c = add(
        "convert", "Convert the weights of a checkpoint to a block format, or back to bf16",
        [this] { convertCheckpoint(convert_); },
        "  tools/dev/make-input model.safetensors up_proj.weight=256x1024 norm.weight=1x1024\n"
        "  mxc convert model.safetensors --to nvfp4 -o nvfp4.safetensors --verify\n"
        "  mxc convert nvfp4.safetensors --to bf16 -o back.safetensors\n"
        "  mxc convert model.safetensors --to mxfp8 --as modelopt --only '*.weight' --except 'norm.*' -o "
        "mxfp8.safetensors\n"
        "  mxc convert model.safetensors --to mxfp4 --device=simulator:sm_90a -o mxfp4.safetensors");
    c->add_option("checkpoint", convert_.checkpoint,
                  "A .safetensors file; or shards, by their folder or its .safetensors.index.json")
        ->required();
    c->add_option("--to", convert_.to, "nvfp4, mxfp8 or mxfp4; or bf16, from any of these")
        ->required()
        ->type_name("FORMAT");
    c->add_option("-o,--output", convert_.output, "A file; for shards a folder, which is empty or not there")
        ->required()
        ->type_name("FILE");
    c->add_option("--as", convert_.as,
                  "The tensors' names and the configuration: compressed-tensors or modelopt")
        ->type_name("CONVENTION")
        ->capture_default_str();
    c->add_option("--only", convert_.only,
                  "Weights to convert, a pattern with * and ?; default: those of linear layers; repeatable")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    c->add_option("--except", convert_.except, "Weights to leave as they are, a pattern; repeatable")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    c->add_option(
         "--fused", convert_.fused,
         "Modules that readers multiply as one, and so give one tensor scale, beside q, k and v, gate "
         "and up and the like: q_lin,k_lin,v_lin; repeatable")
        ->type_name("NAMES")
        ->allow_extra_args(false);
    c->add_option("--device", convert_.device, "cuda:N or simulator:CHIP; default: the host")
        ->type_name("DEVICE");
    c->add_flag("--verify", convert_.verify,
                "Read the result again: bytes are the host reference's, values within bounds");
  }

  void addBench() {
    CLI::App *c = add(
        "bench", "Time kernels beside streaming kernels of the same traffic, in one run",
        [this] { benchKernels(bench_); },
        "  mxc bench docs/examples/quantize.mlir --device=cuda:0 --shape M=8192,K=8192 --shape 1024x7168 "
        "--pdl "
        "--html bench.html\n"
        "  mxc bench docs/examples/quantize.mlir --device=simulator:sm_90a --shape 128x256 --tile='warps = "
        "4' "
        "--tile='warps = 16'");
    c->add_option("kernels", bench_.files, "MLIR, or images that mxc compiled")->required();
    c->add_option("--device", bench_.device, "cuda:N; simulator:CHIP has counts instead of times")
        ->required()
        ->type_name("DEVICE");
    addShapes(c, "--shape", bench_.shapes, "All dynamic dimensions, as M=8192,K=7168 or 8192x7168");
    c->add_option("--tile", bench_.tiles, "As for compile; repeatable: each is a contender; needs MLIR")
        ->type_name("TILE")
        ->allow_extra_args(false);
    c->add_option("--kernel", bench_.kernel, "Which one, if the files hold several")->type_name("NAME");
    c->add_option("--scalar", bench_.scalars, "A scalar argument, as alpha=0.5; repeatable")
        ->type_name("NAME=NUMBER")
        ->allow_extra_args(false);
    c->add_flag("--pdl", bench_.pdl, "Programmatic dependent launches, of the streaming kernels too");
    c->add_flag(
        "--warm", bench_.warm,
        "Use one set of tensors, which L2 may keep; without it, as many sets take turns as exceed L2");
    c->add_option("--rounds", bench_.rounds, "How many rounds there are; the median counts")
        ->capture_default_str()
        ->check(CLI::Range(3, 1000));
    c->add_option(
         "--settle", bench_.settle,
         "Milliseconds of each contender's own work before it is timed; default: 200 for products, else 0")
        ->type_name("MS")
        ->check(CLI::Range(0, 10000));
    c->add_option("--json", bench_.json, "Everything that was measured")->type_name("FILE");
    c->add_option("--csv", bench_.csv, "A line for each contender")->type_name("FILE");
    c->add_option("--html", bench_.html, "Bars and roofs as a page that needs nothing else")
        ->type_name("FILE");
    c->add_flag("--no-tuning", bench_.noTuning, "Leave out the tiles that mxc tune found");
    c->add_flag("--no-cache", bench_.noCache, "Compile even what the kernel cache has, and keep nothing");
  }

  void addCache() {
    CLI::App *c = app_.add_subcommand("cache", "List, clear or verify the cache of compiled kernels");
    c->require_subcommand(1);
    c->footer(
        "Example:\n  mxc cache list\n"
        "It lies in $XDG_CACHE_HOME/mxc or ~/.cache/mxc and takes MXC_CACHE_SIZE bytes at most (1 GiB).");
    auto add = [&](const std::string &name, const std::string &description, void (*action)()) {
      c->add_subcommand(name, description)->callback([this, action] { action_ = action; });
    };
    add("list", "Print what is in it, the last used first", listCache);
    add("clear", "Remove everything in it", clearCache);
    add("verify", "Read everything in it and remove what is damaged; exit status 1 if something was",
        verifyCache);
  }

  void addSimulate() {
    CLI::App *c = add(
        "simulate", "Run a kernel from PTX text, or any CUDA program, on the simulator",
        [this] { simulate_.program.empty() ? simulatePtx(simulate_) : simulateProgram(simulate_); },
        "  mxc compile docs/examples/quantize.mlir --target=sm_90a --emit=ptx -o q.ptx\n"
        "  mxc simulate q.ptx --list-unsupported\n"
        "  mxc simulate --target=sm_90a --checks=strict -- ./program --its-own=arguments");
    c->add_option("ptx", simulate_.input,
                  "PTX text, - for standard input; instead of it: -- PROGRAM ARGUMENTS");
    c->add_option("--entry", simulate_.entry, "The kernel, if the text has several")->type_name("NAME");
    c->add_option("--target", simulate_.target, "The chip; default: the text's .target")->type_name("CHIP");
    c->add_option("--grid", simulate_.grid, "CTAs")->type_name("X[,Y[,Z]]")->capture_default_str();
    c->add_option("--block", simulate_.block, "Threads of a CTA")
        ->type_name("X[,Y[,Z]]")
        ->capture_default_str();
    c->add_option("--cluster", simulate_.cluster, "CTAs of a cluster")
        ->type_name("X[,Y[,Z]]")
        ->capture_default_str();
    c->add_flag("--cooperative", simulate_.isCooperative,
                "All CTAs are resident at once and may wait for each other");
    c->add_option("--shared", simulate_.sharedBytes, "Dynamic shared memory")
        ->type_name("BYTES")
        ->check(whole<uint32_t>());
    c->add_option("--arg", simulate_.arguments,
                  "The next parameter: TYPE:VALUE (u32:5, s64:-1, f32:0.5, b8:0xff), in:FILE, inout:FILE, "
                  "out:FILE:BYTES")
        ->type_name("ARG")
        ->allow_extra_args(false);
    c->add_option(
         "--schedule", simulate_.schedule,
         "eager (the default), lazy or random:SEED; sweep[:SEEDS] tries them all, to the first finding")
        ->type_name("SCHEDULE");
    c->add_option(
         "--checks", simulate_.checks,
         "off, standard (the default) or strict; strict,-shared-race leaves findings of that name out")
        ->type_name("LEVEL");
    c->add_option("--tensor", simulate_.tensor, "How tensor cores add up: exact (as the chip) or f64")
        ->type_name("ARITHMETIC");
    c->add_option("--trace", simulate_.trace, "Print each instruction of one warp")->type_name("CTA:WARP|*");
    c->add_option("--stats", simulate_.stats, "Print counts: text or json")->type_name("FORMAT");
    CLI::Option *timeline =
        c->add_option("--timeline", simulate_.timeline,
                      "Write what warps, mbarriers and asynchronous operations did, for ui.perfetto.dev")
            ->type_name("FILE");
    addWindow(c, simulate_.timelineWindow, timeline);
    c->add_option("--features", simulate_.features,
                  "Write which instructions, descriptors and idioms the kernel uses, a line each")
        ->type_name("FILE");
    c->add_flag("--list-unsupported", simulate_.listUnsupported,
                "Only list what the simulator cannot execute");
  }

  CLI::App app_{"Compiles, runs and explains microscaling (MX) kernels for NVIDIA GPUs.", "mxc"};
  std::function<void()> action_;
  CompileCommand compile_;
  RunCommand run_;
  TuneCommand tune_;
  InspectCommand inspect_;
  LayoutCommand layout_;
  ConvertCommand convert_;
  BenchCommand bench_;
  SimulateCommand simulate_;
};

} // namespace

int runCommandLine(int argc, char **argv) { return CommandLine().run(argc, argv); }

} // namespace mxc
