// SPDX-License-Identifier: Apache-2.0

/// Unique keys, made of names that may occur twice: of modules (`SchemaModuleNames`), and of the questions of
/// one module.
struct UniqueKeys {
    private var taken: Set<String> = []
    /// The number tried last for a name: those before it are taken.
    private var last: [String: Int] = [:]

    /// The name itself, or the first of "name (2)", "name (3)", ... that is free.
    mutating func key(for name: String) -> String {
        var key = name
        while !taken.insert(key).inserted {
            let number = last[name, default: 1] + 1
            last[name] = number
            key = "\(name) (\(number))"
        }
        return key
    }
}
