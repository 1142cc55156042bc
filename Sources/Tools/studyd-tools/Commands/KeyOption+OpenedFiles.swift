// SPDX-License-Identifier: Apache-2.0
import Commands
import Glibc
import SystemKit

extension KeyOption {
    /// Runs `body`, which reads recordings, writes what becomes of them, and returns remarks to show.
    func withOpenedFiles(_ body: (OpenedFiles, ProgressMeter) throws(FileError) -> [String]) throws {
        let meter = ProgressMeter()
        let keys = try identities()
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
