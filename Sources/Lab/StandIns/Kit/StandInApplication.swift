// SPDX-License-Identifier: Apache-2.0

/// An application that the metadata server of FDA MyStudies knows: its bundle and its secret, each for one
/// platform. `--application` of `study-receiver` names them.
struct StandInApplication: Sendable, Hashable {
    let bundle: String
    let token: String
    /// `ios` or `android`: decides what is listed.
    let platform: String

    /// Reads `ios:BUNDLE:TOKEN`.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 2).map(String.init)
        guard parts.count == 3, ["ios", "android"].contains(parts[0]) else { return nil }
        (platform, bundle, token) = (parts[0], parts[1], parts[2])
    }
}
