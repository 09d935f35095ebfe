"""What libhlg exports, installs and is found by. Each test works in a temporary folder.

HLG_BUILD      the build tree that is tested; compilers and flags are read from its cache
HLG_LLAMA_DIR  llama.cpp's source, for the one test that needs its headers
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = Path(os.environ["HLG_BUILD"])
CACHE = dict(re.findall(r"^(\w+):\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE))
VERSION = re.search(r"project\(hlg VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
SAYS = f"hlg {VERSION} drew 2\n"


def run(*command, **environment):
    """The output of a command; a failure shows all of it."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **environment}, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


class InTemporaryFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hlg-packaging-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def install(self):
        """Installs, then moves all of it: nothing may depend on the prefix."""
        run("cmake", "--install", BUILD, "--prefix", self.folder / "first")
        return Path(shutil.move(self.folder / "first", self.folder / "prefix"))

    def configure(self, project, *arguments):
        build = self.folder / project
        shutil.rmtree(build, ignore_errors=True)
        run("cmake", "-S", HERE / project, "-B", build, "-G", CACHE["CMAKE_GENERATOR"],
            "-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_C_COMPILER={CACHE['CMAKE_C_COMPILER']}",
            f"-DCMAKE_CXX_COMPILER={CACHE['CMAKE_CXX_COMPILER']}",
            f"-DCMAKE_C_FLAGS={CACHE['CMAKE_C_FLAGS']}",
            f"-DCMAKE_CXX_FLAGS={CACHE['CMAKE_CXX_FLAGS']}", *arguments)
        return build


class Symbols(unittest.TestCase):
    def test_exactly_the_functions_of_the_header(self):
        header = (ROOT / "include/hlg/hlg.h").read_text()
        declared = set(re.findall(r"^HLG_API [^(]*?(\w+)\(", header, re.MULTILINE))
        library = next((BUILD / "lib").glob("libhlg.*.dylib"), BUILD / "lib/libhlg.so")
        lines = run(CACHE["CMAKE_NM"], "-D", "--defined-only", library).splitlines()
        self.assertEqual({line.split()[-1] for line in lines}, declared)


class Version(unittest.TestCase):
    """The documents that repeat the version of CMakeLists.txt."""

    def test_first_section_of_the_changelog(self):
        first = re.search(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertEqual(first[1], VERSION)

    def test_find_package_of_the_readme(self):
        asked = re.search(r"find_package\(hlg (\S+)", (ROOT / "README.md").read_text())
        self.assertEqual(asked[1], VERSION.rpartition(".")[0])


class Install(InTemporaryFolder):
    def test_our_files_and_no_others(self):
        prefix = self.install()
        installed = {p.relative_to(prefix) for p in prefix.rglob("*") if not p.is_dir()}
        lib = Path(CACHE["CMAKE_INSTALL_LIBDIR"])
        config = CACHE["CMAKE_BUILD_TYPE"].lower()
        expected = {Path("include/hlg", name) for name in ("hlg.h", "hlg.hpp")}
        expected |= {Path("share/doc/hlg", name) for name in ("LICENSE", "NOTICES.md")}
        expected |= {lib / name for name in (
            "libhlg.a", "libhlg.so", f"libhlg.so.{VERSION}", f"libhlg.so.{VERSION.split('.')[0]}",
            "pkgconfig/hlg.pc", "cmake/hlg/hlgConfig.cmake", "cmake/hlg/hlgConfigVersion.cmake",
            "cmake/hlg/hlgHighway.cmake", "cmake/hlg/hlgTargets.cmake",
            f"cmake/hlg/hlgTargets-{config}.cmake")}
        if CACHE["HLG_BUILD_PROGRAM"] == "ON":
            expected.add(Path("bin/hlg"))
        self.assertEqual(installed, expected)

    def test_no_path_of_this_machine(self):
        prefix = self.install()
        for path in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc")]:
            for folder in (ROOT, BUILD, self.folder):
                self.assertNotIn(str(folder), path.read_text(), path)


class FindPackage(InTemporaryFolder):
    def try_out(self, *where):
        build = self.configure("find-package", f"-DHLG_VERSION={VERSION}", *where)
        run("cmake", "--build", build)
        for name in ("with_static", "with_shared"):
            self.assertEqual(run(build / name), SAYS)

    def test_installed(self):
        self.try_out(f"-DCMAKE_PREFIX_PATH={self.install()}")

    def test_build_tree(self):
        self.try_out(f"-Dhlg_DIR={BUILD}")


class PkgConfig(InTemporaryFolder):
    def setUp(self):
        super().setUp()
        if not shutil.which("pkg-config"):
            self.skipTest("no pkg-config")
        prefix = self.install()
        self.lib = prefix / CACHE["CMAKE_INSTALL_LIBDIR"]
        try:
            self.flags()
        except AssertionError as error:
            if "libhwy" in str(error):
                self.skipTest("Highway has no libhwy.pc here")
            raise

    def flags(self, *arguments):
        path = f"{self.lib / 'pkgconfig'}:{os.environ.get('PKG_CONFIG_PATH', '')}"
        return run("pkg-config", *arguments, "--cflags", "--libs", "hlg",
                   PKG_CONFIG_PATH=path).split()

    def compile(self, flags):
        program = self.folder / "program"
        run(CACHE["CMAKE_C_COMPILER"], *CACHE["CMAKE_C_FLAGS"].split(), HERE / "consumer.c", *flags,
            "-o", program)
        return program

    def test_shared(self):
        program = self.compile(self.flags())
        self.assertEqual(run(program, LD_LIBRARY_PATH=str(self.lib)), SAYS)

    def test_static(self):
        flags = ["-l:libhlg.a" if flag == "-lhlg" else flag for flag in self.flags("--static")]
        self.assertEqual(run(self.compile(flags)), SAYS)


class Subproject(InTemporaryFolder):
    def subproject(self, *arguments):
        return self.configure("subproject", f"-DHLG_SOURCE={ROOT}", *arguments)

    def test_only_the_library(self):
        build = self.subproject()
        run("cmake", "--build", build)
        self.assertEqual(run(build / "with_static"), SAYS)
        self.assertFalse([*build.rglob("libhlg.so*")], "built though nothing uses it")
        run("cmake", "--install", build, "--prefix", self.folder / "prefix")
        self.assertFalse((self.folder / "prefix").exists())
        run("cmake", "--build", build, "--target", "with_shared")
        self.assertEqual(run(build / "with_shared"), SAYS)

    def test_installs_when_asked(self):
        build = self.subproject("-DHLG_INSTALL=ON")
        self.assertIn("hlgTargets", (build / "hlg/cmake_install.cmake").read_text())


class SubprojectLlama(Subproject):
    test_only_the_library = test_installs_when_asked = None

    def test_sampler_for_the_parents_llama(self):
        llama = Path(os.environ.get("HLG_LLAMA_DIR", ""))
        if not (llama / "include/llama.h").is_file():
            self.skipTest("no headers of llama.cpp: make build fetches them")
        build = self.subproject(f"-DLLAMA_DIR={llama}")
        run("cmake", "--build", build, "--target", "with_llama")
        self.assertTrue([*build.rglob("libhlg_llama.a")])


if __name__ == "__main__":
    unittest.main()
