// SPDX-License-Identifier: Apache-2.0

/// The kinds of destinations that a configuration may name. The study's own server is none of them:
/// its platform brings its address.
package struct DestinationCatalog: Sendable {
    /// A new kind of destination adds its line here.
    package static let standard = DestinationCatalog([
        TusDestination.self,
        S3Destination.self,
        DirectoryDestination.self,
        RadarDestination.self,
    ])

    /// In the order of the documentation.
    package let kinds: [any DestinationKind.Type]

    package init(_ kinds: [any DestinationKind.Type]) { self.kinds = kinds }

    package subscript(kind: String) -> (any DestinationKind.Type)? { kinds.first { $0.kind == kind } }

    package var names: [String] { kinds.map { $0.kind } }
}
