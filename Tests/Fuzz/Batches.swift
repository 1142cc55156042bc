// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Runs executions in separate processes, so that a crash ends a batch and not the search.
struct Batches {
    /// Executions per process.
    static let size = 50_000
    /// Seconds that one execution may take; none needs a tenth of one.
    static let patience: UInt32 = 20

    let corpus: String
    /// Executions that ended a process, and by which signal.
    private(set) var crashes: [(number: Int, signal: CInt)] = []
    private(set) var done = 0

    init(corpus: String) { self.corpus = corpus }

    /// Runs executions `first..<first + count`.
    mutating func run(from first: Int, count: Int) throws {
        let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        let folder = "\(root)/studyd-fuzz-\(getpid())"
        var next = first
        while next < first + count, crashes.count < 50 {
            let part = min(Self.size, first + count - next)
            let status = try spawn([corpus, "\(next)", "\(part)", folder])
            guard status != 0 else {
                (next, done) = (next + part, done + part)
                continue
            }
            let reached = Self.progress(folder) ?? next
            crashes.append((reached, status & 0x7F))
            (done, next) = (done + reached - next + 1, reached + 1)
        }
        unlink("\(folder).at")
    }

    /// The child's side. Says in a file which execution it is at.
    static func batch(_ corpus: Corpus, from first: Int, count: Int, folder: String) throws {
        let desk = try FuzzDesk(folder: folder)
        let place = open("\(folder).at", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(place) }
        for number in first..<first + count {
            var reached = number
            pwrite(place, &reached, MemoryLayout<Int>.size, 0)
            let (bytes, target) = corpus.input(number)
            alarm(patience)
            target.run(bytes, desk)
        }
        alarm(0)
    }

    private static func progress(_ folder: String) -> Int? {
        let place = open("\(folder).at", O_RDONLY | O_CLOEXEC)
        defer { close(place) }
        var reached = 0
        return pread(place, &reached, MemoryLayout<Int>.size, 0) == MemoryLayout<Int>.size ? reached : nil
    }

    private func spawn(_ words: [String]) throws -> CInt {
        var arguments = (["/proc/self/exe", "batch"] + words).map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var child: pid_t = 0
        guard posix_spawn(&child, "/proc/self/exe", nil, nil, &arguments, environ) == 0 else {
            throw FuzzFault.desk("a further process")
        }
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
