// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What a unit lets a service do, read as systemd reads it (systemd.exec(5), SystemCallFilter=):
/// the first line says whether the list allows or denies, later ones add to it or take from it, and
/// an empty one begins again.
struct UnitFilter {
    private(set) var allowed: Set<String> = []
    private(set) var capabilities: Set<String> = []
    private(set) var settings: [String: [String]] = [:]

    /// The unit, then its drop-ins in order; `sets` are systemd's own groups of calls by name, with
    /// the groups in them.
    init(_ texts: [String], sets: [String: [String]]) {
        for line in texts.flatMap({ $0.split(separator: "\n") }) where !line.hasPrefix("#") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            settings[String(line[..<equals]), default: []].append(String(line[line.index(after: equals)...]))
        }
        for value in settings["SystemCallFilter"] ?? [] {
            if value.isEmpty { allowed = [] }
            let isDenial = value.hasPrefix("~")
            for word in value.drop(while: { $0 == "~" }).split(separator: " ") {
                let calls = Self.expand(String(word.prefix { $0 != ":" }), sets)
                if isDenial { allowed.subtract(calls) } else { allowed.formUnion(calls) }
            }
        }
        // "The set @default is always allowed where the list allows" (systemd.exec(5)).
        allowed.formUnion(Self.expand("@default", sets))
        for value in settings["CapabilityBoundingSet"] ?? [] {
            if value.isEmpty { capabilities = [] }
            capabilities.formUnion(value.split(separator: " ").map(String.init))
        }
    }

    private static func expand(_ word: String, _ sets: [String: [String]]) -> Set<String> {
        guard word.hasPrefix("@") else { return [word] }
        return Set((sets[word] ?? []).flatMap { expand($0, sets) })
    }

    /// systemd's own groups, as `systemd-analyze syscall-filter` prints them.
    static func sets(printed text: String) -> [String: [String]] {
        var sets: [String: [String]] = [:]
        var name = ""
        for line in text.split(separator: "\n") {
            let word = line.split(separator: " ").first.map(String.init) ?? ""
            if line.hasPrefix("@") {
                name = word
                sets[name] = []
            } else if line.hasPrefix(" "), !word.hasPrefix("#") {
                sets[name, default: []].append(word)
            } else if line.hasPrefix("#") {
                // What follows are calls of the kernel that no group has.
                name = ""
            }
        }
        sets[""] = nil
        return sets
    }
}
