// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// The folder that a dataset of BIDS is written to.
struct BIDSFolder {
    let path: String

    /// Replaces a file unless it holds that already.
    func write(_ name: String, _ text: String) throws(FileError) {
        guard contents(name) != Array(text.utf8) else { return }
        try makeFolder(of: name)
        try AtomicFile.write(Array(text.utf8), to: "\(path)/\(name)")
    }

    func write(_ name: String, _ json: JSONText) throws(FileError) { try write(name, json.indentedText) }

    /// Writes a table that is long, and then what is said of it, which names the recording that it
    /// is made of: where both are there and the same is to be said, nothing is done.
    func write(
        _ name: String, describedBy sidecar: String, as json: JSONText, _ body: (ExportOutput) throws(FileError) -> Void
    ) throws(FileError) {
        if (try? File("\(path)/\(name)", .read)) != nil, contents(sidecar) == Array(json.indentedText.utf8) { return }
        try makeFolder(of: name)
        let output = try ExportOutput(path: "\(path)/\(name)")
        try body(output)
        try output.finish()
        try write(sidecar, json)
    }

    private func contents(_ name: String) -> [UInt8]? {
        guard let file = try? File("\(path)/\(name)", .read), let size = try? file.size() else { return nil }
        return try? file.read(size, at: 0)
    }

    private func makeFolder(of name: String) throws(FileError) {
        let parts = name.split(separator: "/").dropLast()
        try File.makeFolder(([path] + parts.map(String.init)).joined(separator: "/"))
    }
}
