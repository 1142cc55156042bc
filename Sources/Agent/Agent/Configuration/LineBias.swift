// SPDX-License-Identifier: Apache-2.0
import Device

/// What pulls an open line; the raw value is the `bias` of board files.
package enum LineBias: String, Sendable, CaseIterable {
    /// To the supply: a button that connects to ground.
    case pullUp = "pull-up"
    /// To ground: a button that connects to the supply.
    case pullDown = "pull-down"
    /// Nothing: a resistor on the board does it.
    case none
    /// Whatever the device tree or the firmware has set.
    case asIs = "as-is"

    /// The kernel's word for it.
    var hardware: GPIOLines.Bias {
        switch self {
        case .pullUp: .pullUp
        case .pullDown: .pullDown
        case .none: .disabled
        case .asIs: .asIs
        }
    }
}
