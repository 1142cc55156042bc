// SPDX-License-Identifier: Apache-2.0
import CLinux
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

    private struct Stack: Sendable {
        var size = 0
        /// Of the page before it, as `/proc/self/maps` writes them.
        var rightsBefore: String?
        var (isLocked, isLockedBefore, mayBeLocked) = (false, false, false)
    }

    /// pthread_attr_setguardsize(3): a page that cannot be written ends the stack. madvise(2): MADV_DONTNEED is refused
    /// for locked pages. So large a stack is new: the C library keeps no other of that size.
    @Test(arguments: [nil, 5] as [Int?])
    func itsStackEndsAtAGuardPageAndItsFrontIsLockedForAPriority(priority: Int?) throws {
        let (wanted, locked, page) = (64 << 20, 64 << 10, Int(getpagesize()))
        let found = Mutex(Stack())
        let thread = try NamedThread(name: "stack", priority: priority, stack: wanted) {
            var address: UnsafeMutableRawPointer?
            var stack = Stack()
            guard clinux_stack(&address, &stack.size) == 0, let address else { return }
            stack.rightsBefore = Self.rights(of: UInt(bitPattern: address) - 1)
            // Not in use: the thread is far from using so much.
            let front = address + (stack.size - locked)
            stack.isLocked = madvise(front, page, MADV_DONTNEED) != 0
            stack.isLockedBefore = madvise(front - page, page, MADV_DONTNEED) != 0
            stack.mayBeLocked = mlock(front, locked) == 0
            found.withLock { $0 = stack }
        }
        thread.join()
        let stack = found.withLock { $0 }
        #expect(stack.size >= wanted - page && stack.rightsBefore == "---p", "\(stack)")
        #expect(stack.isLocked == (priority != nil && stack.mayBeLocked) && !stack.isLockedBefore, "\(stack)")
    }

    /// Of the mapping that holds a place (proc(5)); nil where none does.
    private static func rights(of place: UInt) -> String? {
        guard let maps = try? BoundedFile.text("/proc/self/maps") else { return nil }
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2)
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, ends[0] <= place, place < ends[1] { return String(words[1]) }
        }
        return nil
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
