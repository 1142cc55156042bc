// SPDX-License-Identifier: Apache-2.0
import Base

/// How much of a file one request of a `DeliveryRunner` carries, so that it takes about four seconds on any
/// network: more urgent items need not wait long, and a broken request costs little. Pure.
struct ChunkPace: Sendable, Hashable {
    static let least: Int64 = 16 << 10
    static let most: Int64 = 4 << 20
    private static let time = Duration.seconds(4)

    /// Bytes of the next request.
    private(set) var chunk: Int64 = 64 << 10

    /// This many bytes took this long, with the answer. At most four times as much the next time: a
    /// small request says little about larger ones.
    mutating func recordTransfer(of bytes: Int64, in duration: Duration) {
        let seconds = max(duration.seconds, 0.001)
        let wanted = Double(bytes) / seconds * Self.time.seconds
        chunk = max(Self.least, min(Self.most, Int64(min(wanted, Double(chunk) * 4))))
    }

    mutating func recordFailure() { chunk = max(Self.least, chunk / 4) }
}
