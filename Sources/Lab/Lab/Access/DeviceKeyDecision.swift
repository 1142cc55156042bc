// SPDX-License-Identifier: Apache-2.0

/// What becomes of a device's request by its key: `DeviceKeys` decides, `DeviceGate` admits or refuses it.
/// Pure.
enum DeviceKeyDecision: Sendable, Hashable {
    /// `isKeyed` = it was signed with a good key.
    case admit(isKeyed: Bool)
    /// The first key of this name: taken, and remembered.
    case pin
    /// Not signed, though its name has a good key or the mode wants one.
    case missing
    /// Its signature is not valid, and why.
    case unproven(String)
    /// Signed with a key that is not good for its name.
    case unknown
    case revoked

    init(_ mode: DeviceKeyMode, known: [DeviceKeys.Row], key: String?, isNamed: Bool = true) {
        let shown = key.flatMap { key in known.first { $0.key == key } }
        let isGuarded = known.contains { $0.state.isGood }
        // First what is known of this key itself, then whether the name is revoked, then the mode.
        switch (mode, shown?.state) {
        case (_, .revoked): self = .revoked
        case (_, .pinned), (_, .approved): self = .admit(isKeyed: true)
        case _ where known.contains { $0.key.isEmpty } && !isGuarded: self = .revoked
        case (.off, _): self = .admit(isKeyed: false)
        case (.pin, _) where !isGuarded: self = key == nil || !isNamed ? .admit(isKeyed: false) : .pin
        default: self = key == nil ? .missing : .unknown
        }
    }

    /// What is answered instead of taking the request; nil = it is taken.
    var refusal: (status: Int, error: String, remedy: String)? {
        switch self {
        case .admit, .pin: nil
        case .missing:
            (
                401, "not signed with the device's key",
                "studyd signs what it sends to the lab's receiver: name it in [report]"
            )
        case .unproven(let reason):
            (401, reason, "behind a proxy, pass on Host as it comes (see docs/receiver.md, Keys of devices)")
        case .unknown:
            (
                401, "this key is not known for this participant",
                "ask the lab to approve it: study-receiver devices approve PARTICIPANT"
            )
        case .revoked: (403, "this device was revoked", "ask the lab; what was recorded stays on the device")
        }
    }
}

/// Whether devices have to sign with a key: `--device-keys` of `study-receiver`.
enum DeviceKeyMode: String, Sendable, CaseIterable {
    /// Signatures are not asked for; a name that was revoked is refused all the same.
    case off
    /// The first key that signs in a name is the only good one from then on.
    case pin
    /// Only keys that the lab has listed.
    case required
}
