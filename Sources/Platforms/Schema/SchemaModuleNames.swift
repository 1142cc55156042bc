// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The keys of a study's modules, and which of them an id means.
struct SchemaModuleNames {
    /// In the order of the file, each unique: the module's own id where it has one that none before
    /// it has.
    private(set) var keys: [String] = []
    /// By id as the app compares it, type included: of every module that has it.
    private var keysByID: [JSONText: [String]] = [:]

    /// Modules without an id are known by their position, the second of an id by its number.
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
