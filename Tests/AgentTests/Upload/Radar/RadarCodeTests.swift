// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent

/// The texts of RADAR-base's QR codes: radar-prmt-android d66533c (LoginActivityImpl.kt), radar-self-enrolment-ui 9a699ff (authLink.ts,
/// which writes the link of the portal), ManagementPortal a1f5ee2 (MetaTokenResource.kt: what a token consists of).
@Suite struct RadarCodeTests {
    static let jwt = "\(String(repeating: "a", count: 40)).\(String(repeating: "b-_", count: 20)).ccc"

    @Test(arguments: [
        (
            "https://radar.example/managementportal/api/meta-token/AbCd.12-", RadarCode.Form.metaToken("AbCd.12-"),
            "radar.example"
        ),
        (" HTTPS://Radar.Example:8443/managementportal/api/meta-token/x\n", .metaToken("x"), "radar.example:8443"),
        ("radar.example AbCd.12-", .metaToken("AbCd.12-"), "radar.example"),
        ("https://radar.example AbCd.12-", .metaToken("AbCd.12-"), "radar.example"),
        ("AbCd.12-", .metaToken("AbCd.12-"), ""),
        ("{\"refreshToken\": \"a.b.c\"}", .refreshToken("a.b.c"), ""),
        ("{\n  \"refreshToken\":\n \"a.b.c\"\n}\n", .refreshToken("a.b.c"), ""),
        (jwt, .refreshToken(jwt), ""),
        (
            "org.radarbase.prmt://login?data=%7B%22iat%22%3A1%2C%22expires_in%22%3A3600%2C%22refresh_token%22%3A%22ory_rt_x.Y%22%2C%22"
                + "scope%22%3A%22a%20b%22%2C%22token_type%22%3A%22bearer%22%7D&referrer=https%3A%2F%2Fradar.example%2Fkratos-ui%2Fstudy",
            .portal("ory_rt_x.Y"), "radar.example"
        ),
        (
            "org.phidatalab.radar-armt://login?referrer=https://r.example&data={\"refresh_token\":\"t\"}", .portal("t"),
            "r.example"
        ),
    ]) func everyFormIsRead(_ text: String, _ form: RadarCode.Form, _ host: String) throws {
        let code = try RadarCode(parsing: text)
        #expect(code.form == form && code.host ?? "" == host)
    }

    @Test(arguments: [
        ("", "is empty"), ("  \n", "is empty"), ("a b c", "none of"), ("{\"refresh\":1}", "'refreshToken'"),
        ("{", "'refreshToken'"),
        ("x://login?data=%7B%7D", "'referrer'"), ("x://login?data=%7B%7D&referrer=y", "'refresh_token'"),
        ("https://r/managementportal/api/meta-token/a b", "no token"), ("https://r/api/meta-token/", "no token"),
        ("https://radar.example/other", "no token"), (String(repeating: "x", count: 65), "no token"),
    ]) func anythingElseIsNamedWithoutBeingTold(_ text: String, _ words: String) {
        let error = #expect(throws: RadarCodeError.self) { try RadarCode(parsing: text) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(text.count < 8 || error?.description.contains(text) == false, "a code is a secret")
    }

    /// `expires_in` has any number of digits (RFC 6749, appendix A.14), and `exp` is any number (RFC 7519
    /// §2): what is computed with them must not end the program.
    @Test(arguments: [
        ("-9223372036854775808", 0), ("9223372036854775807", 253_402_300_799), ("1e999", 253_402_300_799),
        ("-1", 0), ("0", 0), ("3600.4", 3600), ("253402300800", 253_402_300_799),
    ]) func aTokenWithAnAbsurdTimeIsReckonedWith(_ number: String, _ seconds: Int64) throws {
        let token = try #require(RadarToken(Array("{\"access_token\":\"a\",\"expires_in\":\(number)}".utf8)))
        #expect(token.life == seconds)
        let claims = Base64.encoded(Array("{\"exp\":\(number)}".utf8)).replacing("=", with: "")
        #expect(RadarPairing.end(of: "h.\(claims).s", at: Instant(seconds: 1_795_000_000)) == seconds)
    }

    /// RFC 7519 §3.1: the example's claims.
    @Test func theBodyOfATokenIsRead() {
        let token =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(RadarToken.claims(of: token)?["iss"]?.text == "joe")
        #expect(RadarPairing.end(of: token, at: .epoch) == 1_300_819_380)
        // Three parts, of which "e30" are claims without a member.
        #expect(RadarToken.claims(of: "h.e30.s") != nil)
        for other in ["ory_at_opaque", "h.e30", "h.e30.s.t", "h.e30.a.b.c"] {
            #expect(RadarToken.claims(of: other) == nil, "\(other)")
        }
        #expect(RadarPairing.end(of: "ory_rt_opaque", at: .epoch) == 7_948_800, "oauth_client_details.csv: 92 days")
    }
}
