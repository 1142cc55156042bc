// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SystemKit

/// A file that says when measuring was last alive: `StartSequence` reads from it after a kill how long nothing
/// measured. Never synced: it outlives the process, not the power. The systemd unit has it below
/// `/run`, where it costs the card nothing. `RecorderLoop` writes each time it is awake.
final class Heartbeat: Sendable {
    private let file: Descriptor
    private let boot: String

    /// Nil where the file cannot be made: the log's rows and the files' ends are then the
    /// last that is known.
    init?(path: String, boot: String) {
        do { file = try Descriptor(opening: path, flags: O_WRONLY | O_CREAT | O_NOFOLLOW) } catch { return nil }
        self.boot = boot
    }

    /// Of a fixed length, so that a later beat covers an earlier one.
    func beat(at time: MonotonicTime) {
        let digits = String(time.nanoseconds)
        let line = Array((boot + " " + String(repeating: "0", count: max(0, 19 - digits.count)) + digits + "\n").utf8)
        _ = pwrite(file.rawValue, line, line.count, 0)
    }

    /// The last beat of that boot; nil where there is none.
    static func last(path: String, boot: String) -> MonotonicTime? {
        guard let text = try? BoundedFile.text(path), let line = text.split(separator: "\n").first else { return nil }
        let parts = line.split(separator: " ")
        guard parts.count == 2, parts[0] == boot, let time = Int64(parts[1]) else { return nil }
        return MonotonicTime(nanoseconds: time)
    }
}
