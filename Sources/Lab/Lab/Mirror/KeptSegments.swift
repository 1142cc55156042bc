// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// The names of the segments of devices' event logs in `logs`, which a run of `Mirror` lists once, by enrolment
/// and in the order of their rows.
struct KeptSegments {
    private var names: [String: [String]] = [:]

    /// Leaves out those that the run fetches again, as it does without `mirror.sqlite`: they are
    /// taken in their order anyway, and to take all of them again after each would last hours.
    init(in folder: String, without coming: Set<String>) {
        for name in FolderListing.readable(folder) where name.hasSuffix(".jsonl.gz") && !coming.contains(name) {
            insert(name)
        }
    }

    mutating func insert(_ name: String) {
        let (key, index) = (Self.beginning(of: name), after(name).startIndex)
        guard index == 0 || names[key]?[index - 1] != name else { return }
        names[key, default: []].insert(name, at: index)
    }

    /// Those of the same enrolment with later rows.
    func after(_ name: String) -> ArraySlice<String> {
        let all = names[Self.beginning(of: name)] ?? []
        return all.suffix(all.reversed().prefix { $0 > name }.count)
    }

    /// The name up to its rows, which are padded.
    private static func beginning(of name: String) -> String {
        name.ranges(of: "log-").last.map { String(name[..<$0.upperBound]) } ?? name
    }
}
