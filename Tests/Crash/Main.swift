// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc

/// Power cuts without cutting power: `record` makes the run that strace watches, `enumerate` goes
/// through what it left.
@main struct Crash {
    static func main() throws {
        let words = CommandLine.arguments
        switch words.dropFirst().first {
        case "record" where words.count >= 3: try RecordedRun.run(in: words[2], encryption: encryption(words))
        case "enumerate" where words.count >= 3:
            try enumerate(words[2], isShort: words.contains("--short"), encryption: encryption(words))
        default:
            print(CrashFault.usage)
            exit(2)
        }
    }

    private static func encryption(_ words: [String]) -> RecordingEncryption? {
        words.contains("--sealed") ? RecordedRun.encryption : nil
    }

    private static func enumerate(_ log: String, isShort: Bool, encryption: RecordingEncryption?) throws {
        // Nothing here has to be durable, so memory will do for a disk where there is some.
        let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        let path = "\(root)/studyd-crash-\(getpid())"
        defer { rmdir(path) }
        var enumeration = try Enumeration(log: log, encryption: encryption, in: path)
        if isShort { enumeration.run(step: 7) } else { enumeration.run(subsets: 20) }
        print("system calls that change the disk: \(enumeration.changes)")
        print("crash points: \(enumeration.points)")
        print("disks recovered: \(enumeration.states)")
        let limits = encryption == nil ? CrashCheck.limits : CrashCheck.encryptedLimits
        for (kind, count) in enumeration.losses.sorted(by: { $0.key < $1.key }) {
            print("lost at most, \(kind): \(count) of \(limits[kind] ?? 0) allowed")
        }
        print("violations: \(enumeration.faults.count)")
        for fault in enumeration.faults { print(fault) }
        if !enumeration.faults.isEmpty || enumeration.points == 0 { exit(1) }
    }
}
