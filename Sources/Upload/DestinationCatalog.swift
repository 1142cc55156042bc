// SPDX-License-Identifier: Apache-2.0

/// The kinds of destinations that a configuration may name. The study's own server is none of them: its platform brings its address.
public struct DestinationCatalog: Sendable {
    /// One line each.
    public static let standard = DestinationCatalog([
        TusDestination.self
    ])

    /// In the order of the documentation.
    public let kinds: [any DestinationKind.Type]

    /// A catalog of these kinds.
    public init(_ kinds: [any DestinationKind.Type]) { self.kinds = kinds }

    /// The kind of that name.
    public subscript(kind: String) -> (any DestinationKind.Type)? { kinds.first { $0.kind == kind } }

    /// Their names.
    public var names: [String] { kinds.map { $0.kind } }
}
