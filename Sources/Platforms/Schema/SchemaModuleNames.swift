// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The keys of a study's modules, and which of them an id means: `SchemaModuleReader` names tasks by them, and
/// finds the modules that `unlock_after` names.
struct SchemaModuleNames {
    /// One for each module, in the order of the file, all different: the module's own id, `id (2)` where an
    /// earlier module has the same, `module-4` where the fifth module has none.
    private(set) var keys: [String] = []
    /// The keys of all modules that have an id, by the id as the app compares it: 1 and "1" differ.
    private var keysByID: [JSONText: [String]] = [:]

    init(_ modules: [JSONPlace], _ findings: inout Findings) {
        var unique = UniqueKeys()
        for (index, place) in modules.enumerated() {
            let id = place.member("uuid") ?? place.member("id")
            let name = id?.shown ?? ""
            if let id, let identity = id.identity, let other = keysByID[identity]?.first {
                findings.warn(
                    "\(name) is also the id of the module known here as \(other); as in the app either of them unlocks what waits for it",
                    at: id)
            }
            let key = unique.key(for: name.isEmpty ? "module-\(index)" : name)
            keys.append(key)
            // The app calls a module without an id −1, a number.
            if let identity = id == nil ? .number(-1) : id?.identity { keysByID[identity, default: []].append(key) }
        }
    }

    /// The keys of the modules that have the id at `place`; empty where none has.
    func modules(named place: JSONPlace) -> [String] { place.identity.flatMap { keysByID[$0] } ?? [] }
}
