// SPDX-License-Identifier: Apache-2.0

/// One system call of a run that strace watched, as far as it changes a folder.
enum SystemCall: Sendable {
    case create(inode: Int, name: String)
    case write(inode: Int, offset: Int, bytes: [UInt8])
    case truncate(inode: Int, size: Int)
    case rename(from: String, to: String)
    case unlink(name: String)
    case syncFile(inode: Int)
    case syncFolder
    /// What the run said at this moment on its standard output.
    case mark([Substring])
}

/// Reads the output of `strace -xx -s 100000000` of one thread: calls that failed are left out,
/// names are within `folder`.
struct SystemCallReader {
    private let folder: String
    private var names: [String: Int] = [:]
    private var open: [Int: Int] = [:]
    /// How far a file was written that is written in one go.
    private var ends: [Int: Int] = [:]
    private var folders: Set<Int> = []
    private var inodes = 0
    private(set) var calls: [SystemCall] = []

    init(_ log: String) throws {
        let lines = log.split(separator: "\n")
        guard !lines.contains(where: { $0.contains("<unfinished") }) else {
            throw CrashFault.log("it is of several threads")
        }
        // The folder is the first that is made.
        guard let made = lines.lazy.compactMap({ Self.call($0) }).first(where: { $0.name == "mkdir" && $0.result == 0 })
        else { throw CrashFault.log("no folder is made in it") }
        folder = String(decoding: Self.text(made.arguments[0]), as: UTF8.self)
        for line in lines { if let call = Self.call(line), call.result >= 0 { try read(call) } }
    }

    private struct Line {
        let name: Substring
        let arguments: [Substring]
        let result: Int
    }

    /// `name(a, b, ...) = result`. Strings are all hexadecimal, so that no comma is within one.
    private static func call(_ line: Substring) -> Line? {
        guard let start = line.firstIndex(of: "("), let end = line.lastIndex(of: ")"), start < end,
            let equals = line[end...].firstIndex(of: "=")
        else { return nil }
        let words = line[line.index(after: start)..<end].split(separator: ",").map { $0.drop { $0 == " " } }
        let result = line[line.index(after: equals)...].split(separator: " ").first.flatMap { Int($0) } ?? -1
        // With `-f` the thread's number stands before the name.
        let name = line[..<start].drop { $0.isNumber || $0 == " " }
        return Line(name: name, arguments: words, result: result)
    }

    /// The bytes of `"\x2f\x74"`.
    private static func text(_ quoted: Substring) -> [UInt8] {
        let digits = Array(quoted.utf8)
        func value(_ digit: UInt8) -> UInt8 { digit < 58 ? digit - 48 : digit - 87 }
        return stride(from: 1, to: digits.count - 3, by: 4).map { value(digits[$0 + 2]) << 4 | value(digits[$0 + 3]) }
    }

    private func name(_ quoted: Substring) -> String? {
        let path = String(decoding: Self.text(quoted), as: UTF8.self)
        return path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : nil
    }

    private mutating func read(_ line: Line) throws {
        let words = line.arguments
        switch line.name {
        case "openat": opened(words[1], flags: words[2], descriptor: line.result)
        case "close": if let file = Int(words[0]) { (open[file], ends[file], _) = (nil, nil, folders.remove(file)) }
        case "write" where words[0] == "1":
            let text = String(decoding: Self.text(words[1]), as: UTF8.self)
            for mark in text.split(separator: "\n") { calls.append(.mark(mark.split(separator: " "))) }
        case "write":
            // What a power cut leaves of a file that is written from its beginning on is the same
            // as for writes at places.
            guard let file = Int(words[0]), let inode = open[file], line.result > 0 else { return }
            let bytes = Array(Self.text(words[1]).prefix(line.result))
            calls.append(.write(inode: inode, offset: ends[file, default: 0], bytes: bytes))
            ends[file, default: 0] += line.result
        case "pwrite64":
            guard let inode = Int(words[0]).flatMap({ open[$0] }), let offset = Int(words[3]) else { return }
            calls.append(.write(inode: inode, offset: offset, bytes: Array(Self.text(words[1]).prefix(line.result))))
        case "ftruncate":
            guard let inode = Int(words[0]).flatMap({ open[$0] }), let size = Int(words[1]) else { return }
            calls.append(.truncate(inode: inode, size: size))
        case "fsync", "fdatasync":
            guard let file = Int(words[0]) else { return }
            if folders.contains(file) { calls.append(.syncFolder) }
            if let inode = open[file] { calls.append(.syncFile(inode: inode)) }
        case "rename":
            guard let from = name(words[0]), let to = name(words[1]) else { return }
            names[to] = names.removeValue(forKey: from)
            calls.append(.rename(from: from, to: to))
        case "unlink":
            guard line.result == 0, let name = name(words[0]) else { return }
            names[name] = nil
            calls.append(.unlink(name: name))
        case "mkdir": break
        default: throw CrashFault.log("\(line.name) changes files in a way that is not modelled")
        }
    }

    private mutating func opened(_ path: Substring, flags: Substring, descriptor: Int) {
        if String(decoding: Self.text(path), as: UTF8.self) == folder { folders.insert(descriptor) }
        guard let name = name(path) else { return }
        if let inode = names[name] {
            open[descriptor] = inode
            if flags.contains("O_TRUNC") { calls.append(.truncate(inode: inode, size: 0)) }
        } else {
            inodes += 1
            (names[name], open[descriptor]) = (inodes, inodes)
            calls.append(.create(inode: inodes, name: name))
        }
    }
}

/// Why nothing can be enumerated.
enum CrashFault: Error, CustomStringConvertible {
    case log(String)
    case usage

    var description: String {
        switch self {
        case .log(let problem): "the log of system calls: \(problem); record it again with 'make crash-record'"
        case .usage: "usage: RecordingCrash record FOLDER | enumerate LOG.gz [--short]"
        }
    }
}
