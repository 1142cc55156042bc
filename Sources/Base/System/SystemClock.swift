// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// The clocks of this computer. No other file reads them.
package struct SystemClock: StudyClock {
    /// The longest single sleep: the runtime's clock may differ from CLOCK_MONOTONIC.
    private static let chunk = Duration.seconds(60)

    package init() {}

    /// CLOCK_REALTIME.
    package var now: Instant { Instant(nanoseconds: Self.read(CLOCK_REALTIME)) }

    /// CLOCK_MONOTONIC, which does not count suspended time.
    package var monotonic: MonotonicTime { MonotonicTime(nanoseconds: Self.read(CLOCK_MONOTONIC)) }

    /// CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME and `suspend_stats.success` (Linux kernel/power). Reads
    /// a file of the kernel; does not block on a disk.
    package var marks: ClockMarks {
        ClockMarks(
            raw: MonotonicTime(nanoseconds: Self.read(CLOCK_MONOTONIC_RAW)),
            slept: .nanoseconds(Self.read(CLOCK_BOOTTIME) - Self.read(CLOCK_MONOTONIC)),
            suspensions: Int(
                String(decoding: Self.firstWord(of: "/sys/power/suspend_stats/success"), as: UTF8.self)))
    }

    /// Sleeps in pieces of at most a minute and looks at CLOCK_MONOTONIC after each.
    package func sleep(until deadline: MonotonicTime) async throws {
        try Task.checkCancellation()
        while true {
            let left = deadline - monotonic
            guard left > .zero else { return }
            try await Task.sleep(for: min(left, Self.chunk))
        }
    }

    /// The kernel's id of this boot, by which a stored monotonic time is known to be of this boot
    /// or another; nil where it is unknown.
    ///
    /// A service that sees only processes in /proc (`ProcSubset=pid`) gets it from the service
    /// manager: `fromManager` is systemd's `%b`, the same id without its hyphens. Reads a file of the
    /// kernel; does not block on a disk.
    package static func bootID(
        path: String = "/proc/sys/kernel/random/boot_id",
        fromManager: String? = getenv("STUDYD_BOOT_ID").map { String(cString: $0) }
    ) -> String? {
        uuid(in: firstWord(of: path)) ?? fromManager.flatMap { uuid(in: Array($0.utf8)) }
    }

    /// 32 digits, with or without hyphens, as the kernel writes them; nil for anything else.
    private static func uuid(in text: [UInt8]) -> String? {
        let digits = text.filter { $0 != UInt8(ascii: "-") }.map { $0 | 0x20 }
        guard digits.count == 32, text.count == 32 || text.count == 36,
            digits.allSatisfy({ $0.hexadecimalDigit != nil })
        else { return nil }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
    }

    private static func firstWord(of path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(count, 0)).prefix { $0 > 0x20 })
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
