// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FuzzDice
import Glibc
import SystemKit

/// Damages recordings and asks `recordings verify`'s code whether it finds it.
struct DamageRun {
    /// What the damaged file lies beside.
    enum Setting: String, CaseIterable, Sendable {
        /// Its description, under its own name: every damage must be found.
        case described
        /// A description with digests made again for the damaged file: what is left is whether
        /// content and description agree.
        case redigested
        /// Nothing, under another name: what the format itself can tell.
        case alone
    }

    /// How many of how many were found, by `setting format`, and by `setting kind`.
    private(set) var found: [String: (found: Int, all: Int)] = [:]
    /// Damages that were not found, described alone: number, format and kind.
    private(set) var missed: [String] = []
    private let corpus: DamageCorpus
    private let folder: String

    /// `folder` is made and is this run's alone.
    init(folder: String) throws {
        self.folder = folder
        corpus = try DamageCorpus(folder: folder)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FuzzFault.desk(folder) }
    }

    /// Formats and variants of them in the corpus.
    static let formats = 9

    func end() { rmdir(folder) }

    /// What is found wrong with the corpus itself: nothing, or the rates below mean nothing.
    func faultsOfTheWhole() -> [String] {
        corpus.items.flatMap { item -> [String] in
            var faults: [String] = []
            for setting in [Setting.described, .alone] {
                faults += problems(item, item.content, item.description, setting).map {
                    "\(setting) \(item.label): \($0)"
                }
            }
            return faults
        }
    }

    /// Damages `numbers`, each the same for ever.
    mutating func run(_ numbers: Range<Int>) {
        for number in numbers {
            let item = corpus.items[number % corpus.items.count]
            let kinds = Damage.allCases
            let kind = kinds[number / corpus.items.count % kinds.count]
            var dice = Dice(seed: UInt64(number) + 1)
            for _ in 0..<4 { _ = dice.next() }
            // Zeros over zeros and a unit in its own place are no damage.
            var changed: (content: [UInt8], description: [UInt8]?)?
            for _ in 0..<50 where changed == nil { changed = kind.applied(to: item, among: corpus.items, &dice) }
            guard let damaged = changed else { continue }
            for setting in Setting.allCases where setting == .described || kind.isOfFile {
                let isFound = !problems(item, damaged.content, damaged.description, setting).isEmpty
                count("\(setting) \(item.label)", isFound)
                count("\(setting) \(kind)", isFound)
                if !isFound, setting == .described { missed.append("\(number) \(item.label) \(kind)") }
            }
        }
    }

    /// A damaged file of that format in `path`, alone, for another program to look at; the
    /// number makes it.
    func write(_ number: Int, of label: String, to path: String) throws -> Bool {
        guard let item = corpus.items.first(where: { $0.label == label }) else { return false }
        let kinds = Damage.allCases.filter(\.isOfFile)
        var dice = Dice(seed: UInt64(number) + 1)
        for _ in 0..<4 { _ = dice.next() }
        guard let damaged = kinds[number % kinds.count].applied(to: item, among: [item], &dice) else { return false }
        try File(path, .replace).write(damaged.content, at: 0)
        return true
    }

    /// One line per format and per kind of damage.
    var table: String {
        found.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.found) of \($0.value.all)" }.joined(
            separator: "\n")
    }

    /// All damages of a setting.
    func total(_ setting: Setting) -> (found: Int, all: Int) {
        corpus.items.reduce((0, 0)) { sum, item in
            let part = found["\(setting) \(item.label)"] ?? (0, 0)
            return (sum.0 + part.found, sum.1 + part.all)
        }
    }

    private mutating func count(_ key: String, _ isFound: Bool) {
        let before = found[key] ?? (0, 0)
        found[key] = (before.found + (isFound ? 1 : 0), before.all + 1)
    }

    private func problems(
        _ item: DamageCorpus.Item, _ content: [UInt8], _ description: [UInt8]?, _ setting: Setting
    ) -> [String] {
        let path = "\(folder)/" + (setting == .alone ? "copy.\(item.ending)" : item.name)
        let beside = "\(folder)/\(item.stem).json"
        defer {
            unlink(path)
            unlink(beside)
        }
        do {
            try File(path, .replace).write(content, at: 0)
            if setting == .described, let description { try File(beside, .replace).write(description, at: 0) }
            if setting == .redigested {
                var new = try RecordingDescription(json: item.description, path: beside)
                new.bytes = content.count
                new.sha256 = try FileDigest.sha256(content)
                try File(beside, .replace).write(Self.sealed(&new), at: 0)
            }
            return try FileInspector.problems(of: path)
        } catch {
            return ["\(error)"]
        }
    }

    /// The text of a description with a seal that fits.
    static func sealed(_ description: inout RecordingDescription) throws -> [UInt8] {
        description.seal = String(repeating: "0", count: 64)
        description.seal = try FileDigest.sha256(Array(description.json.indentedText.utf8))
        return Array(description.json.indentedText.utf8)
    }

    /// What is in gzip.
    static func unpacked(_ bytes: [UInt8]) -> [UInt8] {
        through(bytes) { try GzipFile.contents($0, limit: 1 << 24) }
    }

    /// gzip of that content.
    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        through(bytes) { source in
            let path = "/dev/shm/studyd-damage-packed-\(getpid())"
            defer { unlink(path) }
            let target = try File(path, .replace)
            try GzipFile.compress(source, to: target)
            return try target.read(target.size(), at: 0)
        }
    }

    private static func through(_ bytes: [UInt8], _ body: (File) throws -> [UInt8]) -> [UInt8] {
        let path = "/dev/shm/studyd-damage-\(getpid())"
        defer { unlink(path) }
        guard let file = try? File(path, .replace), (try? file.write(bytes, at: 0)) != nil else { return [] }
        return (try? body(file)) ?? []
    }
}
