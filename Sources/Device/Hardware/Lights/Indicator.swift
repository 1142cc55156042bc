// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A light on the panel. Any thread; a call takes microseconds.
package protocol Indicator: Sendable {
    /// False when it has one colour: meaning must then lie in rhythm, never in colour.
    var isColoured: Bool { get }
    /// Shows a colour, or its brightness where there is only one.
    func show(_ colour: LightColour) throws(SystemError)
    func close()
}
