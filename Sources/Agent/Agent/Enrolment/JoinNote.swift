// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// A file that holds room on the disk while a study's server is asked to enrol a participant, which cannot be taken
/// back; then whom it enrolled, until that is stored. Written by `Enroller`. Blocks on the disk.
///
/// The names are written in place, over a block that was written before: a full disk allows that.
package struct JoinNote: Sendable {
    private let path: String
    private static let block = 4096
    /// More than the rows of an enrolment, its requests and their pages take.
    private static let room = 1 << 20
    private static let mostNames = 4

    package init(_ folder: StateFolder) { path = folder.joining }

    /// Whom a server enrolled without that being stored here, one or more; nil = none.
    var leftOver: String? { names.isEmpty ? nil : names.joined(separator: ", ") }

    /// The same without those whose enrolment is stored: after a power cut the file may be there again.
    func leftOver(besides stored: [String]) -> String? {
        let stored = stored.map(Self.spelled)
        let left = names.filter { !stored.contains($0) }
        return left.isEmpty ? nil : left.joined(separator: ", ")
    }

    private var names: [String] {
        guard let bytes = try? BoundedFile.read(path) else { return [] }
        let text = bytes.prefix(Self.block).prefix { $0 != 0 }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Has a server enrol, once the disk has room for what is stored afterwards; that room is free when this returns.
    func joined(by join: () throws -> String) throws -> String {
        do {
            try reserve()
            let name = try join()
            note(name)
            return name
        } catch {
            release()
            throw error
        }
    }

    private func reserve() throws(FileError) {
        let file = try File(path, .updateOrCreate)
        try file.write(Self.text(names) + [UInt8](repeating: 0, count: Self.room - Self.block), at: 0)
        try file.sync(metadata: true)
        try AtomicFile.syncFolder(of: path)
    }

    /// An error is ignored: what matters is to store the enrolment.
    private func note(_ name: String) {
        let all = names + [Self.spelled(name)]
        guard let file = try? File(path, .update) else { return }
        try? file.write(Self.text(Array(all.suffix(Self.mostNames))), at: 0)
        try? file.truncate(to: Self.block)
        try? file.sync(metadata: true)
    }

    private func release() {
        guard leftOver != nil else { return clear() }
        try? File(path, .update).truncate(to: Self.block)
    }

    /// To be called when an enrolment is stored, and those of before were reported.
    func clear() {
        if unlink(path) == 0 { try? AtomicFile.syncFolder(of: path) }
    }

    private static func spelled(_ name: String) -> String { String(name.prefix(200)).shown }

    private static func text(_ names: [String]) -> [UInt8] {
        let bytes = Array(names.joined(separator: "\n").utf8.prefix(block))
        return bytes + [UInt8](repeating: 0, count: block - bytes.count)
    }
}
