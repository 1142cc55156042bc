// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Takes the archives of runs that a device posts for a study of SageResearch: `POST /sage`, a zip,
/// or CMS where it is encrypted.
///
/// Each is kept once, under its digest, in `sage/`: the same bytes again are recognised. Its
/// content is not looked at. It counts for the participant in `X-Participant`, as studyd sends it;
/// archives without that field count together.
struct SageRoutes: Sendable {
    private let faults: Faults
    private let archive: Archive
    private let quota: Quota
    private let clock: any StudyClock
    private let gate: DeviceGate
    private let directory: String
    private let queue = SerialQueue()

    /// In bytes, as Bridge has it.
    private static let bodyLimit = 100_000_000

    init(_ lab: StandInParts, gate: DeviceGate) throws {
        self.gate = gate
        directory = lab.directory + "/sage"
        (faults, archive, quota, clock) = (lab.faults, lab.archive, lab.quota, lab.clock)
        try File.makeFolder(directory)
    }

    func addRoutes(to router: inout Router) {
        router.on("POST", "/sage", bodyLimit: Self.bodyLimit, handler: faults.around(receive))
    }

    private func receive(_ request: HTTPRequest) async throws -> HTTPResponse {
        let user = request.fields["x-participant"] ?? ""
        guard user.count <= DeviceName.longest else { throw HTTPFailure(400, DeviceName.refusal("X-Participant")) }
        try await gate.admit(request, for: user)
        // Before a body of 100 MB is read for nothing.
        try await quota.admit(Int64(request.body.announcedLength ?? 0), of: user)
        let isEncrypted = request.fields["content-type"]?.hasPrefix("application/pkcs7-mime") ?? false
        let bytes = try await request.body.collect(upTo: Self.bodyLimit)
        if let reason = Self.refusal(bytes, isEncrypted: isEncrypted) { return .text(reason + "\n", status: 400) }
        let digest = try await queue.run { try Digest(of: bytes).description }
        let isNew = try await !archive.hasSage(digest)
        if isNew {
            try await quota.admit(Int64(bytes.count), of: user)
            let path = "\(directory)/\(digest).zip" + (isEncrypted ? ".cms" : "")
            try await queue.run { try AtomicFile.write(bytes, to: path, mode: 0o600) }
            try await archive.noteSage(digest, bytes: Int64(bytes.count), of: user, at: clock.now)
        }
        return .text(
            "{\"sha256\":\"\(digest)\",\"duplicate\":\(!isNew)}\n", status: isNew ? 201 : 200, type: "application/json")
    }

    /// Why it is no archive, in words; nil = it looks like one.
    private static func refusal(_ bytes: [UInt8], isEncrypted: Bool) -> String? {
        if isEncrypted { return bytes.first == 0x30 ? nil : "not an encrypted archive (a DER sequence)" }
        guard bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) else { return "not a zip archive" }
        guard let end = Self.directoryEnd(bytes) else { return "the zip is incomplete: it has no end record" }
        let count = Int(bytes[end + 10]) | Int(bytes[end + 11]) << 8
        return (1...100).contains(count) ? nil : "an archive has 1 to 100 files; this one has \(count)"
    }

    /// Where the record of the end of the directory begins: it is the last 22 bytes where
    /// there is no comment.
    private static func directoryEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 22 else { return nil }
        let end = bytes.count - 22
        return bytes[end..<(end + 4)].elementsEqual([0x50, 0x4B, 0x05, 0x06]) ? end : nil
    }
}
