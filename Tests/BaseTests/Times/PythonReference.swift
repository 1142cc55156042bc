// SPDX-License-Identifier: Apache-2.0
import Glibc

/// One run of `zoneinfo_reference.py`: Python's zoneinfo over the same tzdata.
struct PythonReference {
    /// The wall time of a probe and the offsets that Python gives for it with fold=0 and fold=1.
    struct LocalProbe {
        let second: Int64
        let offset: Int64
        let foldedOffset: Int64
    }

    struct ZoneProbes {
        let name: String
        /// `offset` is twice the offset, and one more in summer time.
        let utc: [(second: Int64, offset: Int64, abbreviation: Int64)]
        let local: [LocalProbe]
    }

    static let tzdata = "/usr/share/zoneinfo"
    static let zones = read()

    private static func read() -> [ZoneProbes] {
        let script = #filePath.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/zoneinfo_reference.py"
        guard access(tzdata, R_OK) == 0, let words = run(["python3", script, tzdata]), !words.isEmpty else { return [] }
        var zones: [ZoneProbes] = []
        var place = 0
        while place < words.count { zones.append(zone(words, &place)) }
        return zones
    }

    private static func zone(_ words: [Int64], _ place: inout Int) -> ZoneProbes {
        let length = Int(words[place])
        let nameWords = (length + 7) / 8
        let bytes = words[place + 1..<place + 1 + nameWords].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        place += 1 + nameWords
        var groups: [[(Int64, Int64, Int64)]] = []
        for _ in 0..<2 {
            let count = Int(words[place])
            let start = place + 1
            groups.append(
                (0..<count).map { (words[start + $0 * 3], words[start + $0 * 3 + 1], words[start + $0 * 3 + 2]) })
            place = start + count * 3
        }
        return ZoneProbes(
            name: String(decoding: bytes.prefix(length), as: UTF8.self), utc: groups[0],
            local: groups[1].map { LocalProbe(second: $0.0, offset: $0.1, foldedOffset: $0.2) })
    }

    /// The words that a program writes; nil when it is missing or fails.
    private static func run(_ arguments: [String]) -> [Int64]? {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        var words = arguments.map { strdup($0) } + [nil]
        var process: pid_t = 0
        let failed = posix_spawnp(&process, arguments[0], &actions, nil, &words, environ)
        posix_spawn_file_actions_destroy(&actions)
        for word in words { free(word) }
        close(ends[1])
        let output = drain(ends[0])
        close(ends[0])
        var status: CInt = 0
        guard failed == 0, waitpid(process, &status, 0) == process, status == 0 else { return nil }
        return output
    }

    private static func drain(_ file: CInt) -> [Int64] {
        var words = [Int64](repeating: 0, count: 8 << 20)
        let filled = words.withUnsafeMutableBytes { bytes in
            var filled = 0
            while filled < bytes.count {
                let count = Glibc.read(file, bytes.baseAddress! + filled, bytes.count - filled)
                if count <= 0 { break }
                filled += count
            }
            return filled
        }
        return words.prefix(filled / 8).map { Int64(littleEndian: $0) }
    }
}
