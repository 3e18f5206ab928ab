import autocannon from 'autocannon'; import {spawn} from 'node:child_process';
const size=Number(process.argv[2]);
const c=spawn(process.execPath,['-e',`const b=Buffer.alloc(${size},'x');require('http').createServer((q,r)=>{r.writeHead(200,{'Content-Length':b.length});r.end(b)}).listen(4788)`]);
await new Promise(r=>setTimeout(r,500));
const go=(s)=>autocannon({url:'http://127.0.0.1:4788/',connections:16,duration:s});
await go(2); const u=process.cpuUsage(); const r=await go(4); const d=process.cpuUsage(u); console.log(size,'autocannon cpu ms per request',((d.user+d.system)/1000/r['2xx']).toFixed(3),'rps',r['2xx']/r.duration); c.kill();
