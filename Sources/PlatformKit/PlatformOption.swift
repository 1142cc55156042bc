// SPDX-License-Identifier: Apache-2.0

/// An option of the command line that belongs to one platform.
public struct PlatformOption: Sendable, Hashable {
    /// The commands that take it.
    public enum Scope: Sendable, Hashable {
        /// All that read a study.
        case reading
        /// `plan` and `simulate`.
        case planning
        /// `enroll`.
        case enrolling
    }

    /// Without the two dashes.
    public let name: String
    /// What stands for its value in the help; nil = a switch, which takes none.
    public let value: String?
    /// One sentence, which begins with the platform's title.
    public let help: String
    /// Which commands take it.
    public let scope: Scope

    public init(_ name: String, value: String?, _ scope: Scope, help: String) {
        self.name = name
        self.value = value
        self.scope = scope
        self.help = help
    }
}

/// Options of platforms as they were given, each with its values in order. A switch has the value "".
public struct PlatformArguments: Codable, Sendable, Hashable {
    private var values: [String: [String]] = [:]

    public init() {}

    /// The last value of that option; nil where it was not given.
    public subscript(name: String) -> String? { values[name]?.last }
    /// Every value of that option, in order.
    public func all(_ name: String) -> [String] { values[name] ?? [] }
    /// Whether that option was given.
    public func has(_ name: String) -> Bool { values[name] != nil }
    /// Names of all that were given, in order of the alphabet.
    public var names: [String] { values.keys.sorted() }

    /// Adds one more.
    public mutating func add(_ name: String, _ value: String = "") { values[name, default: []].append(value) }
}

/// An option of a platform whose value means nothing.
public struct PlatformArgumentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which option, what is wrong and what to write.
    public let description: String

    public init(_ description: String) { self.description = description }
}
