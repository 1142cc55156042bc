// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// What is encrypted while it is written.
enum AgeBench {
    private static let piece = [UInt8](repeating: 0x5A, count: 1 << 20)
    /// Megabytes a second.
    private static let least = 150.0

    /// Without the disk, in pieces of 1 MiB, to one key; and back.
    static func figures() throws -> [Figure] {
        guard let identity = AgeIdentity(secret: [UInt8](repeating: 7, count: 32)) else { return [] }
        var encrypted: [UInt8] = []
        let encryption = try Stopwatch.rate {
            let writer = try AgeWriter(to: [identity.recipient])
            encrypted.removeAll(keepingCapacity: true)
            for _ in 0..<16 { try writer.append(piece, to: &encrypted) }
            try writer.finish(to: &encrypted)
            return 16 * piece.count
        }
        let opening = try Stopwatch.rate { try AgeReader.open(encrypted, [identity]).count }
        let answer = try Stopwatch.rate { try AgeWriter.encrypt([1, 2, 3], to: [identity.recipient]).isEmpty ? 0 : 1 }
        return [
            Figure(name: "age seal", value: encryption / 1e6, unit: "MB/s", least: least),
            Figure(name: "age open", value: opening / 1e6, unit: "MB/s"),
            Figure(name: "age seal of one answer", value: 1000 / answer, unit: "ms"),
        ]
    }
}
