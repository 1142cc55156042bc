// SPDX-License-Identifier: Apache-2.0

/// Unique keys, made of names that may occur twice.
struct UniqueKeys {
    private var taken: Set<String> = []

    /// The name itself, or the first of "name (2)", "name (3)", ... that is free.
    mutating func key(for name: String) -> String {
        var key = name
        var number = 2
        while !taken.insert(key).inserted {
            key = "\(name) (\(number))"
            number += 1
        }
        return key
    }
}
