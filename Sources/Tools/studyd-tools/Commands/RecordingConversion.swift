// SPDX-License-Identifier: Apache-2.0
import Commands
import Glibc
import SystemKit

/// What the commands `export`, `features` and `plot` share: reads recordings, encrypted ones with their keys,
/// and writes what becomes of them.
struct RecordingConversion {
    private let keys: [AgeIdentity]
    private let meter = ProgressMeter()

    init(_ key: KeyOption) throws { keys = try key.identities() }

    /// `body` returns remarks, which are shown when it is done.
    func run(_ body: (OpenedFiles, ProgressMeter) throws(FileError) -> [String]) throws {
        do throws(FileError) {
            let opened = try OpenedFiles(keys)
            defer { opened.close() }
            let remarks = try body(opened, meter)
            meter.clear()
            remarks.forEach(Output.remark)
        } catch {
            meter.clear()
            // The reader of the pipe has closed it.
            if error.operation == "write", error.code == EPIPE { return }
            throw error
        }
    }
}
