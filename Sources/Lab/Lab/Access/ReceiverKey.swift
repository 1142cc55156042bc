// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The receiver's own key, in `receiver.key` of its data folder, with which `LogRoutes` confirms how far the
/// event logs of devices had come; `study-receiver devices key` prints its public half.
struct ReceiverKey: Sendable {
    private let key: Ed25519.PrivateKey

    init(_ key: Ed25519.PrivateKey) { self.key = key }

    /// The key of a data folder; made where there is none. `draw` gives 32 random bytes.
    init(in folder: String, draw: () -> [UInt8] = Self.randomSeed) throws {
        let path = folder + "/receiver.key"
        if access(path, F_OK) == 0 || errno != ENOENT {
            let text = try BoundedFile.text(path)
            guard let seed = Base64.decoded(text.prefix { !$0.isNewline }), let key = Ed25519.PrivateKey(seed: seed)
            else {
                throw FileError(
                    path: path, message: "is not the receiver's key",
                    remedy: "restore it from the backup; devices know the receiver by it")
            }
            self.key = key
            return
        }
        let seed = draw()
        guard let key = Ed25519.PrivateKey(seed: seed) else { throw DigestError(path: nil, code: 0) }
        try AtomicFile.write(Array((Base64.encoded(seed) + "\n").utf8), to: path, mode: 0o600)
        self.key = key
    }

    private static func randomSeed() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<Ed25519.keyLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// 64 hexadecimal digits.
    var publicText: String { key.publicKey.hexadecimal }

    /// Signs that the device has reported that row of its log; the text is a field of the receiver's answer.
    func countersign(log: String, _ row: LogHeads.Row, of device: String, at now: Instant) throws -> String {
        var statement = Countersignature(
            log: log, sequence: row.sequence, hash: row.hash, time: now, device: device, receiver: publicText)
        statement.signature = Base64.encoded(try key.sign(statement.signed))
        return statement.text
    }
}
