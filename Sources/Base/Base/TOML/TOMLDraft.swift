// SPDX-License-Identifier: Apache-2.0

/// A table while its document is being read: it knows what may still be added to it. Not `Sendable`.
///
/// `TOMLParser` calls, for a header, `enterParent` for each part but the last, then `openTable` or
/// `appendTable`; for a pair, `enterDotted` for each part but the last, then `checkVacant` and `set`.
final class TOMLDraft {
    /// What made the table; it decides who may add to it.
    enum Origin {
        /// The header of a table within it; its own header may follow.
        case implied
        /// Its own header; nothing but its lines may add to it.
        case header
        /// A key with dots; only keys of the same table may add to it.
        case dotted
    }

    private enum Entry {
        case value(TOMLValue)
        case table(TOMLDraft)
        case tables(TOMLDraftList)

        var place: TOMLPlace {
            switch self {
            case .value(let value): value.place
            case .table(let table): table.place
            case .tables(let list): list.place
            }
        }
    }

    private var entries: [String: Entry] = [:]
    private var origin: Origin
    private let place: TOMLPlace
    /// How many tables and arrays it lies in.
    let depth: Int

    init(_ place: TOMLPlace, _ origin: Origin, depth: Int) {
        (self.place, self.origin, self.depth) = (place, origin, depth)
    }

    var table: TOMLTable {
        TOMLTable(
            place,
            entries.mapValues { entry in
                switch entry {
                case .value(let value): value
                case .table(let draft): TOMLValue(draft.place, .table(draft.table))
                case .tables(let list):
                    TOMLValue(list.place, .array(list.drafts.map { TOMLValue($0.place, .table($0.table)) }))
                }
            })
    }

    /// The table `a` on the way of a header `[a.b]`, made where it is missing; of several `[[a]]` the last.
    func enterParent(_ key: TOMLKey) throws(TOMLError) -> TOMLDraft {
        switch entries[key.name] {
        case nil: return try addChild(key, .implied, at: key.place)
        case .table(let draft): return draft
        case .tables(let list): return list.drafts[list.drafts.count - 1]
        case .value(let value): throw TOMLError(key.place, "'\(key.name)' is not a table\(Self.inLine(value.place))")
        }
    }

    /// Begins the table of a header `[key]` at `place`.
    func openTable(_ key: TOMLKey, at place: TOMLPlace) throws(TOMLError) -> TOMLDraft {
        switch entries[key.name] {
        case nil: return try addChild(key, .header, at: place)
        case .table(let draft) where draft.origin == .implied:
            draft.origin = .header
            return draft
        case .some(let entry): throw alreadyDefined(key, entry)
        }
    }

    /// Begins the next table of `[[key]]`, at `place`.
    func appendTable(_ key: TOMLKey, at place: TOMLPlace) throws(TOMLError) -> TOMLDraft {
        let draft = try makeDraft(.header, at: place, levels: 2)
        switch entries[key.name] {
        case nil: entries[key.name] = .tables(TOMLDraftList(place, draft))
        case .tables(let list): list.drafts.append(draft)
        case .some(let entry): throw alreadyDefined(key, entry)
        }
        return draft
    }

    /// The table `key` of a pair `key.b = 1`, made where it is missing.
    func enterDotted(_ key: TOMLKey) throws(TOMLError) -> TOMLDraft {
        switch entries[key.name] {
        case nil: return try addChild(key, .dotted, at: key.place)
        case .table(let draft) where draft.origin != .header:
            draft.origin = .dotted
            return draft
        case .some(let entry): throw alreadyDefined(key, entry)
        }
    }

    /// Throws where the key is taken.
    func checkVacant(_ key: TOMLKey) throws(TOMLError) {
        if let entry = entries[key.name] { throw alreadyDefined(key, entry) }
    }

    /// Puts a value under a vacant key.
    func set(_ key: TOMLKey, _ value: TOMLValue) { entries[key.name] = .value(value) }

    private func addChild(_ key: TOMLKey, _ origin: Origin, at place: TOMLPlace) throws(TOMLError) -> TOMLDraft {
        let draft = try makeDraft(origin, at: place, levels: 1)
        entries[key.name] = .table(draft)
        return draft
    }

    private func makeDraft(_ origin: Origin, at place: TOMLPlace, levels: Int) throws(TOMLError) -> TOMLDraft {
        try TOMLParser.check(depth: depth + levels, at: place)
        return TOMLDraft(place, origin, depth: depth + levels)
    }

    private func alreadyDefined(_ key: TOMLKey, _ entry: Entry) -> TOMLError {
        TOMLError(key.place, "'\(key.name)' is already defined\(Self.inLine(entry.place))")
    }

    private static func inLine(_ place: TOMLPlace) -> String { ", in line \(place.line)" }
}

/// The tables of `[[key]]` so far, at least one. A reference, so that a further one costs no copy.
final class TOMLDraftList {
    /// Place of the first `[[key]]`.
    let place: TOMLPlace
    var drafts: [TOMLDraft]

    init(_ place: TOMLPlace, _ first: TOMLDraft) {
        self.place = place
        drafts = [first]
    }
}
