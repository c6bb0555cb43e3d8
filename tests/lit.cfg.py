# How lit runs mxc's tests. Every folder here but unit/ holds tests; a file's RUN lines are its test.
# Features for REQUIRES: gpu, cc, g++, venv, torch, jax, numpy (with ml_dtypes), old-glibc, pkg-config, nvcc, cccl, ptxas, ptx91
# (a newer one), nvdisasm, nvjitlink, libdevice.
import os
import platform
import re
import shutil
import subprocess
import sys

import lit.formats
import lit.util

config.name = "mxc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".ptx", ".cu"]
config.excludes = ["unit", "fuzz", "Inputs"]
if config.mxc_sanitize:  # python and programs of nvcc cannot load an instrumented library
    config.excludes += ["simulator", "python"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mxc_build_dir, "tests")  # %t lies below it

cuda = config.mxc_cuda_root
tools = os.path.join(config.test_source_root, "..", ".cache", "tools")  # what tools/dev/setup installed
tool_dirs = [os.path.join(config.mxc_build_dir, "bin"), config.mxc_llvm_tools_dir, os.path.join(cuda, "bin"), tools]
# lit's own interpreter is the tests', too: what a version manager puts in its place takes ten times as long to start.
python_folder = os.path.join(config.test_exec_root, "python3")
os.makedirs(python_folder, exist_ok=True)
if os.path.realpath(os.path.join(python_folder, "python3")) != os.path.realpath(sys.executable):
    os.symlink(sys.executable, os.path.join(python_folder, f"python3.{os.getpid()}"))
    os.replace(os.path.join(python_folder, f"python3.{os.getpid()}"), os.path.join(python_folder, "python3"))
tool_dirs.insert(0, python_folder)
config.environment["PATH"] = os.pathsep.join(tool_dirs + [config.environment["PATH"]])
config.environment["MXC_CUDA_ROOT"] = cuda
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")  # never the user's kernel cache
config.substitutions.append(("%examples", os.path.join(config.test_source_root, "..", "docs", "examples")))
simulator = os.path.join(config.mxc_build_dir, "lib", "simulator", "libcuda.so.1")
simulator_tests = os.path.join(config.test_source_root, "simulator")
config.substitutions.append(("%simulator", simulator))
config.substitutions.append(("%run-ptx", os.path.join(simulator_tests, "Inputs", "run-ptx") + " --library " + simulator))
config.substitutions.append(("%run-cuda", os.path.join(simulator_tests, "cuda", "Inputs", "run-cuda") + " " + simulator))
config.substitutions.append(("%run-program", os.path.join(simulator_tests, "programs", "Inputs", "run-program") + " " + os.path.join(os.path.dirname(simulator), "cudart")))
config.substitutions.append(("%cuda-include", os.path.join(cuda, "include")))
config.substitutions.append(("%build", config.mxc_build_dir))
config.substitutions.append(("%source", os.path.realpath(os.path.join(config.test_source_root, ".."))))
config.substitutions.append(("%cxx", config.mxc_cxx))
config.substitutions.append(("%launcher", config.mxc_launcher))
keys = ["LANG", "LC_ALL", "CCACHE_DIR", "CCACHE_NOHASHDIR", "CCACHE_SLOPPINESS", "CCACHE_DEPEND"]  # what ccache's keys depend on
config.substitutions.append(("%ccache-keys", " ".join(f"{key}={os.environ[key]}" for key in keys if key in os.environ)))
config.substitutions.append(("%dev", os.path.join(config.test_source_root, "..", "tools", "dev")))


def feature(name, *paths):
    if any(os.path.exists(path) for path in paths):
        config.available_features.add(name)


feature("gpu", "/dev/nvidiactl")
feature("cc", shutil.which("cc") or "")


users_python = shutil.which("python3") or sys.executable


def imports(module, python):
    return subprocess.run([python, "-c", "import " + module], stderr=subprocess.DEVNULL).returncode == 0


if imports("ensurepip", sys.executable):
    config.available_features.add("venv")
torch_python = os.environ.get("MXC_TORCH_PYTHON", users_python)  # of an environment that has torch
config.substitutions.append(("%torch-python", torch_python))
if imports("torch", torch_python):
    config.available_features.add("torch")
jax_python = os.environ.get("MXC_JAX_PYTHON", users_python)  # of an environment that has jax
config.substitutions.append(("%jax-python", jax_python))
if imports("jax", jax_python):
    config.available_features.add("jax")
arrays_python = os.environ.get("MXC_ARRAYS_PYTHON", users_python)  # of an environment that has numpy and ml_dtypes
config.substitutions.append(("%arrays-python", arrays_python))
if imports("numpy, ml_dtypes", arrays_python):
    config.available_features.add("numpy")
if platform.libc_ver()[0] == "glibc" and platform.machine() == "x86_64" and shutil.which("c++"):
    config.available_features.add("old-glibc")  # static builds are linked to an older one's interface
feature("g++", shutil.which("g++") or "")
feature("pkg-config", shutil.which("pkg-config") or "")
feature("nvcc", os.path.join(cuda, "bin", "nvcc"))
feature("cccl", *(os.path.join(cuda, "include", folder, "nv", "target") for folder in ("cccl", "")))  # cuda_fp16.h wants it
feature("ptxas", os.path.join(cuda, "bin", "ptxas"))
if shutil.which("ptxas", path=config.environment["PATH"]):
    report = subprocess.run(["ptxas", "--version"], env=config.environment, stdout=subprocess.PIPE, text=True).stdout
    release = re.search(r"release (\d+)\.(\d+)", report)
    if release and (int(release[1]), int(release[2])) >= (13, 1):
        config.available_features.add("ptx91")
feature("nvdisasm", shutil.which("nvdisasm", path=config.environment["PATH"]) or "")
feature("nvjitlink", *(os.path.join(cuda, lib, "libnvJitLink.so.13") for lib in ("lib", "lib64")))
feature("libdevice", os.path.join(cuda, "nvvm", "libdevice", "libdevice.10.bc"))

if lit.util.killProcessAndChildrenIsSupported()[0]:  # needs python3-psutil
    lit_config.maxIndividualTestTime = 1800  # of the longest on a machine ten times slower or as loaded; what hangs ends
