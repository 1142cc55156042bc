// SPDX-License-Identifier: Apache-2.0
import Commands
import Device
import Exports
import Glibc
import SystemKit

/// Where `-o` of the commands `export`, `features` and `plot` writes.
enum OutputTarget {
    /// The file, or standard output for `-`. An input is never overwritten.
    static func open(_ path: String, inputs: [String]) throws(FileError) -> ExportOutput {
        guard path != "-" else { return ExportOutput(descriptor: STDOUT_FILENO, name: "standard output") }
        var (source, target) = (stat(), stat())
        for input in inputs {
            if stat(input, &source) == 0, stat(path, &target) == 0, source.st_ino == target.st_ino,
                source.st_dev == target.st_dev
            {
                throw .format(path: path, problem: "is one of the files to read; use another file with -o")
            }
        }
        return try ExportOutput(path: path)
    }
}
