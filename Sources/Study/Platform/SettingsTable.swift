// SPDX-License-Identifier: Apache-2.0

/// A table of the configuration file, from which `PlatformCatalog` sets up the platform of that name (in the
/// agent a `ConfigTable`). It knows its file, path and lines. Getters give nil where a key is absent, and
/// throw, with file, key and line, where the value is of another kind. A key that was not read is refused
/// afterwards.
package protocol SettingsTable {
    func string(_ key: String) throws -> String?
    /// A whole number within limits.
    func integer(_ key: String, in range: ClosedRange<Int>) throws -> Int?
    /// A number within limits, with or without a point.
    func number(_ key: String, in range: ClosedRange<Double>) throws -> Double?
    func boolean(_ key: String) throws -> Bool?
    /// One of the choice's own texts.
    func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, _: Choice.Type) throws -> Choice?
    where Choice.RawValue == String
    /// `value`, or a complaint that `key` is missing.
    func required<Value>(_ key: String, _ value: Value?) throws -> Value
    func section(_ key: String) throws -> (any SettingsTable)?
    /// An error with file, key and line, for the caller to throw.
    func complaint(_ key: String, _ message: String) -> any Error
}
