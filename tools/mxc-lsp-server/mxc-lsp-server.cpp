// mxc-lsp-server: diagnostics, hover, symbols and completion for .mlir files with the mx dialect, in any
// editor that speaks LSP.
//
// MLIR's server has no place where a dialect adds to its answers: it runs in a process of its own, whose
// output passes through this one.
#include "compiler/Dialects.h"
#include "tools/mxc-lsp-server/HoverDocuments.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int serve(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mxc::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}

static int fail(const char *what) {
  perror(what);
  return 1;
}

int main(int argc, char **argv) {
  int ends[2];
  if (pipe(ends) != 0) return fail("mxc-lsp-server: pipe");
  const pid_t parent = getpid(), server = fork();
  if (server < 0) return fail("mxc-lsp-server: fork");
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) return 1; // it ended before
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    return serve(argc, argv);
  }
  close(STDIN_FILENO); // the server's
  close(ends[1]);
  mxc::addDocuments(fdopen(ends[0], "r"), stdout);
  int status = 0;
  if (waitpid(server, &status, 0) != server) return fail("mxc-lsp-server: waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
