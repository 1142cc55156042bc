// SPDX-License-Identifier: Apache-2.0

/// What is on a disk after the power went.
///
/// The strictest disk that keeps its promises: bytes of a file are certain once the file was
/// synchronised, names once the folder was, in whatever order; everything else may be there or not,
/// each for itself.
struct CrashedDisk {
    /// What happened to a write that was not synchronised.
    enum Damage: Sendable, CaseIterable {
        /// It is not there at all.
        case dropped
        /// The file has grown, but the blocks hold zeros.
        case zeros
        /// The first half of it is there.
        case half
    }

    private let calls: [SystemCall]

    init(_ calls: [SystemCall]) { self.calls = calls }

    /// The calls before `end` that have no certain effect then.
    func unsynced(before end: Int) -> [Int] {
        var synced: Set<Int> = []
        var folderIsSynced = false
        var found: [Int] = []
        for index in stride(from: end - 1, through: 0, by: -1) {
            switch calls[index] {
            case .syncFile(let inode): synced.insert(inode)
            case .syncFolder: folderIsSynced = true
            case .write(let inode, _, _), .truncate(let inode, _): if !synced.contains(inode) { found.append(index) }
            case .create, .rename, .unlink: if !folderIsSynced { found.append(index) }
            case .mark: break
            }
        }
        return found.reversed()
    }

    /// True for calls to which more can happen than that they are lost.
    func isWrite(_ index: Int) -> Bool { if case .write = calls[index] { true } else { false } }

    /// Names and contents when the power goes before call `end`, with that damage done.
    func files(before end: Int, _ damage: [Int: Damage]) -> [String: [UInt8]] {
        var names: [String: Int] = [:]
        var contents: [Int: [UInt8]] = [:]
        for index in 0..<end {
            let harm = damage[index]
            switch calls[index] {
            case .create(let inode, let name):
                contents[inode] = []
                if harm == nil { names[name] = inode }
            case .write(let inode, let offset, let bytes):
                guard harm != .dropped else { continue }
                let bytes = harm == .half ? Array(bytes.prefix(bytes.count / 2)) : bytes
                Self.put(
                    harm == .zeros ? [UInt8](repeating: 0, count: bytes.count) : bytes, at: offset,
                    &contents[inode, default: []])
            case .truncate(let inode, let size):
                if harm == nil { Self.cut(&contents[inode, default: []], to: size) }
            case .rename(let from, let to):
                guard harm == nil, let inode = names.removeValue(forKey: from) else { continue }
                names[to] = inode
            case .unlink(let name): if harm == nil { names[name] = nil }
            case .syncFile, .syncFolder, .mark: break
            }
        }
        return names.mapValues { contents[$0] ?? [] }
    }

    private static func put(_ bytes: [UInt8], at offset: Int, _ content: inout [UInt8]) {
        cut(&content, to: max(content.count, offset + bytes.count))
        content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    private static func cut(_ content: inout [UInt8], to size: Int) {
        if content.count > size { content.removeLast(content.count - size) }
        content += [UInt8](repeating: 0, count: size - content.count)
    }
}
