// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// How much is taken: from one device, from one participant, and before the disk is full. Routes for devices
/// and `UploadFolder` ask it before they store anything. What is not taken stays where it is, and is tried
/// again.
package struct Quota: Sendable {
    let archive: Archive
    /// The folder; its disk is checked.
    let directory: String
    /// Bytes of records and files that one device may have here.
    package let perDevice: Int64
    /// Bytes that stay free whatever comes, but no more than a twentieth of the disk.
    let free: Int64
    /// Nil where devices have no keys.
    var keys: DeviceKeys?

    /// Throws 507 (RFC 4918 §11.5) where this many bytes more are too many: of a post, which can be sent without
    /// a key in any name. The files of a device with a key are not counted with its posts.
    func admit(_ bytes: Int64, of user: String) async throws {
        let files = try await hasKey(user) ? try await archive.fileBytes(of: user) : 0
        let used = (try await archive.device(user)?.bytes ?? 0) - files
        try check(bytes, beside: used, of: "device", perDevice)
    }

    /// Throws 507, as `admit` does, before the note of a refused post is written, which takes room as well.
    /// (Swift 6.3.1 crashes where both share what they have in common: "While splitting coroutine".)
    func admitRefusal(of user: String?) async throws {
        let name = user ?? ""
        let files = try await hasKey(name) ? try await archive.fileBytes(of: name) : 0
        let used = (try await archive.device(name)?.bytes ?? 0) - files
        let refused = try await archive.refusedBytes(of: user)
        try check(0, beside: used + refused, of: "device", perDevice)
    }

    /// Throws 507, as `admit` does, for bytes of a file. Where only the holder of a key can send any, files
    /// alone count: posts of strangers take no room from them.
    func admitFile(_ bytes: Int64, of user: String) async throws {
        guard try await hasKey(user) else { return try await admit(bytes, of: user) }
        try check(bytes, beside: try await archive.fileBytes(of: user), of: "device", perDevice)
    }

    private func hasKey(_ user: String) async throws -> Bool { try await keys?.hasGoodKey(user) ?? false }

    /// Throws 507 where `owner`, a word for the message, would have more than `limit`; `used` is what is kept
    /// of it. `StandIns` call it directly, because their clients are no devices.
    package func check(_ bytes: Int64, beside used: Int64, of owner: String, _ limit: Int64) throws(HTTPFailure) {
        guard used <= limit, bytes <= limit - used else {
            throw HTTPFailure(
                507,
                "this \(owner) uses \(used) of \(limit) bytes; free space, or start with a larger --device-quota"
            )
        }
        try checkDisk(for: bytes)
    }

    /// Throws 507 where the disk has too little room for this many bytes.
    func checkDisk(for bytes: Int64 = 0) throws(HTTPFailure) {
        guard let space = DiskSpace(at: directory), space.free - min(free, space.total / 20) < bytes else { return }
        throw HTTPFailure(507, "the receiver's disk has only \(space.free) bytes left; free some space")
    }
}
