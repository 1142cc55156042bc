// SPDX-License-Identifier: Apache-2.0
import Base

/// The version of the app that platforms get.
package enum AppVersion {
    package static let text = ProgramVersion.text
}
