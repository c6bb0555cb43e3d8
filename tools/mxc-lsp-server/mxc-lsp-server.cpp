// mxc-lsp-server: diagnostics, hover, symbols and completion for .mlir files with the mx dialect, in any
// editor that speaks LSP.
//
// MLIR's server has no place where a dialect adds to its answers, nor one that looks at a text before it is
// parsed: it runs in a process of its own, and all messages pass through this one.
#include "compiler/Dialects.h"
#include "tools/mxc-lsp-server/DocumentGuard.h"
#include "tools/mxc-lsp-server/HoverDocuments.h"
#include "tools/mxc-lsp-server/MessageStream.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
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

/// Until the editor's messages end, or the server does.
static void passToServer(mxc::DocumentGuard &guard, FILE *server, mxc::MessageStyle style) {
  while (std::optional<std::string> message = mxc::readMessage(stdin, style)) {
    const auto [toServer, toEditor] = guard.admit(*message);
    if (!toServer.empty()) writeMessage(server, style, toServer);
    if (!toEditor.empty()) writeMessage(stdout, mxc::MessageStyle::Headers, toEditor);
  }
  fclose(server);
}

/// What is no message (the text of --help) is copied as it is.
static void passToEditor(const mxc::DocumentGuard &guard, FILE *server) {
  for (int first; (first = getc(server)) != EOF;) {
    ungetc(first, server);
    if (first != 'C') {
      char *line = nullptr;
      size_t capacity = 0;
      const ssize_t length = getline(&line, &capacity, server);
      if (length > 0) fwrite(line, 1, size_t(length), stdout);
      free(line);
      continue;
    }
    const std::optional<std::string> message = mxc::readMessage(server, mxc::MessageStyle::Headers);
    if (!message) break;
    writeMessage(stdout, mxc::MessageStyle::Headers, mxc::withDocuments(guard.explained(*message)));
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  int in[2], out[2]; // the server's
  if (pipe(in) != 0 || pipe(out) != 0) return fail("mxc-lsp-server: pipe");
  const pid_t parent = getpid(), server = fork();
  if (server < 0) return fail("mxc-lsp-server: fork");
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) return 1; // it ended before
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (int end : {in[0], in[1], out[0], out[1]})
      close(end);
    return serve(argc, argv);
  }
  close(in[0]);
  close(out[1]);
  signal(SIGPIPE, SIG_IGN);        // of a server that has ended: its status tells
  static mxc::DocumentGuard guard; // the thread may wait for the editor when this process ends
  std::thread(passToServer, std::ref(guard), fdopen(in[1], "w"), mxc::messageStyleOf(argc, argv)).detach();
  passToEditor(guard, fdopen(out[0], "r"));
  int status = 0;
  if (waitpid(server, &status, 0) != server) return fail("mxc-lsp-server: waitpid");
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)); // that thread reads on
}
