// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import SystemKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct NamedThreadTests {
    @Test func theThreadHasItsNameAndRunsWhateverTheKernelSaysOfPriorities() throws {
        let names = Mutex<[String]>([])
        let thread = try NamedThread(name: "a-name-that-is-too-long", priority: 5) {
            names.withLock { $0.append(Self.text("/proc/thread-self/comm")) }
        }
        thread.join()
        #expect(names.withLock { $0 } == ["a-name-that-is-\n"])
    }

    /// The fact is the kernel's: `SigBlk` of /proc/PID/task/TID/status, a bit for each blocked
    /// signal (proc(5)); bit 14 is SIGTERM.
    @Test func noSignalReachesIt() throws {
        let blocked = Mutex<String>("")
        let thread = try NamedThread(name: "quiet", stack: nil) {
            let status = Self.text("/proc/thread-self/status").split(separator: "\n")
            blocked.withLock { $0 = String(status.first { $0.hasPrefix("SigBlk:") }?.dropFirst(8) ?? "") }
        }
        thread.join()
        let mask = UInt64(blocked.withLock { $0 }, radix: 16) ?? 0
        #expect(mask & (1 << UInt64(SIGTERM - 1)) != 0 && mask & (1 << UInt64(SIGINT - 1)) != 0)
    }

    @Test func aThreadIsWaitedForUntilItEndsOrPatienceDoes() throws {
        let hasRun = Mutex(false)
        let thread = try NamedThread(name: "short") { hasRun.withLock { $0 = true } }
        let isOver = thread.join(within: .seconds(60))
        #expect(isOver)
        #expect(hasRun.withLock { $0 })
        let waker = try Waker()
        let waiting = try NamedThread(name: "long") { waker.wait() }
        let isGivenUp = !waiting.join(within: .zero)
        waker.wake()
        #expect(isGivenUp)
    }

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
